package evidence

import "countersign/models"

var errTooLarge = models.Invalid("file", "Choose a file of at most 50 MB. Nothing was saved.")
