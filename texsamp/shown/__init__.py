"""How things look in a notebook or a page: tables and pictures, whatever their names hold."""
