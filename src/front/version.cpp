// Which version the compiled library is.
#include <ricci/version.hpp>

namespace ricci {

int library_version() { return RICCI_VERSION; }

}  // namespace ricci
