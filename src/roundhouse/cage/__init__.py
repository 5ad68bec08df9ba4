"""The cage as a state machine: commands become events or a refusal, and every event that moves money is booked twice.

Pure like the table: time, random salts, tickets and the house's terms are passed in as data.
"""
