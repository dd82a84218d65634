// Nothing: one more source for a library whose number of sources a unity build cannot stand.
