"""What programs and the front end ask; one module per noun."""
