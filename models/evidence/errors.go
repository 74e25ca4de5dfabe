package evidence

import "countersign/models"

// ErrTooLarge is an Invalid at file: more than Limit bytes.
var ErrTooLarge = models.Invalid("file", "Choose a file of at most 50 MB. This one was not saved.")
