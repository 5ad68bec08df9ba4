"""The automatic dealer. All modules except ``loop`` are pure functions of the table's state and the wheel's state."""
