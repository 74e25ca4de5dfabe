package notice

// SummaryBefore is for the tests.
var SummaryBefore = summaryBefore
