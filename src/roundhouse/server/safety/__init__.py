"""What keeps strangers harmless: names of the host, origins, cookies, rates, sizes. It decides no authority."""
