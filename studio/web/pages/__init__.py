"""Pages: each a GET that answers with a whole HTML document and changes nothing."""
