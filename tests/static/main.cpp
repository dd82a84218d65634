// The main function of the tests that are over once they have been compiled.
int main() {}
