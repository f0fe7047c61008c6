"""Go's standard library, as far as the tools need it; a module per Go package, Go's names in snake_case."""
