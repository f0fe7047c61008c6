module lokiparity/model

go 1.25
