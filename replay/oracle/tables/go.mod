module loki-parity/tables

go 1.21
