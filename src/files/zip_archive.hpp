// Archives and members of libzip that are closed when nobody has them any longer.
#pragma once

#include <memory>

#include <zip.h>

namespace ricci::files {

/// An archive that is given up is left as it was: what was to be written to it is not.
struct archive_closer {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using archive_ptr = std::unique_ptr<zip_t, archive_closer>;
using member_ptr = std::unique_ptr<zip_file_t, archive_closer>;

}  // namespace ricci::files
