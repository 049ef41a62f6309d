"""The JSON API; its OpenAPI document is the contract."""
