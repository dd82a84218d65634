// What has been done of something that was stopped, in a file.
#include "src/mpi/unfinished.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/mpi/fingerprint.hpp"

namespace ricci::mpi {
namespace {

constexpr const char* first_line = "ricci: blocks of a contraction that was stopped, version 1\n";

std::size_t bytes_of(const array& a) { return a.size() * size_of(a.type()); }

}  // namespace

void write_unfinished(const std::string& file, const std::string& key,
                      const std::vector<array>& blocks) {
    const std::string beside = file + ".new";
    std::ofstream out(beside, std::ios::binary);
    fingerprint sum;
    const auto write = [&](const void* data, std::size_t bytes) {
        out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
        sum.add(data, bytes);
    };
    out << first_line << key << '\n';
    for (const array& a : blocks) {
        const std::size_t bytes = bytes_of(a);
        write(&bytes, sizeof bytes);
        if (bytes > 0) write(a.data(), bytes);
    }
    const std::uint64_t value = sum.value();
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
    out.close();
    // a file that was there stays as it is until the new one is whole
    if (!out || std::rename(beside.c_str(), file.c_str()) != 0) {
        std::remove(beside.c_str());
        throw error(fmt::format("ricci: what has been done cannot be written to {}.", file));
    }
}

std::vector<bool> read_unfinished(const std::string& file, const std::string& key,
                                  std::vector<array>& blocks) {
    std::vector<bool> done(blocks.size(), false);
    std::ifstream in(file, std::ios::binary);
    if (!in) return done;
    std::string line, of;
    std::getline(in, line);
    std::getline(in, of);
    if (line + "\n" != first_line)
        throw error(fmt::format("ricci: {} holds no blocks of a contraction.", file));
    if (of != key)
        throw error(fmt::format(
            "ricci: {} is of another network, other values, another order or other options.",
            file));
    fingerprint sum;
    const auto read = [&](void* data, std::size_t bytes) {
        in.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes));
        sum.add(data, bytes);
        return static_cast<bool>(in);
    };
    const auto damaged = [&] { return error(fmt::format("ricci: {} is damaged.", file)); };
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        std::size_t bytes = 0;
        if (!read(&bytes, sizeof bytes)) throw damaged();
        if (bytes == 0) continue;
        if (bytes != bytes_of(blocks[b]) || !read(blocks[b].data(), bytes_of(blocks[b])))
            throw damaged();
        done[b] = true;
    }
    const std::uint64_t expected = sum.value();
    std::uint64_t value = 0;
    in.read(reinterpret_cast<char*>(&value), sizeof value);
    if (!in || value != expected) throw damaged();
    return done;
}

}  // namespace ricci::mpi
