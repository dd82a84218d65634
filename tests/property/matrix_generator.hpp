// Random texts with functions of matrices: solutions, inverses, determinants and Cholesky factors of
// matrices that have them whatever the numbers, nested in one another and in other functions, alone
// and in batches; and determinants of singular ones.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/slopes.hpp"

namespace ricci::testing {

/// A text that defines y, and its inputs, whose elements are from -1 to 1.
struct matrix_text {
    std::string text;
    std::string result = "y";
    shape extents;  // of y
    std::vector<shaped_input> inputs;
};

class matrix_generator {
public:
    explicit matrix_generator(unsigned seed) : random_(seed * 2654435761u + 1) {
        extents_ = {{'b', 1 + below(2)}, {'r', 2}, {'a', 1 + below(3)}};
        size_ = 1 + below(4);
    }

    matrix_text run() {
        batched_ = below(2) == 0;
        const std::string body = chance(60) ? vector_or_number() : matrix_result();
        std::string left;
        for (const char i : open_) left += i, out_.extents.push_back(extent(i));
        for (const std::string& line : lines_) out_.text += line + '\n';
        out_.text += (left.empty() ? "y" : "y^{" + left + "}") + " = " + body;
        return out_;
    }

private:
    std::int64_t below(unsigned n) { return static_cast<std::int64_t>(random_() % n); }
    bool chance(unsigned percent) { return random_() % 100 < percent; }
    std::int64_t extent(char letter) const {
        for (const auto& [known, n] : extents_)
            if (known == letter) return n;
        return size_;  // i, j, p, q and the like are rows and columns
    }
    std::string batch() const { return batched_ ? "b" : ""; }

    /// An input with these indices, at times one that stands there already.
    std::string input(const std::string& indices) {
        shape wanted;
        for (const char i : indices) wanted.push_back(extent(i));
        for (const shaped_input& old : out_.inputs)
            if (old.extents == wanted && chance(30)) return old.name + "^{" + indices + "}";
        const std::string name(1, static_cast<char>('A' + out_.inputs.size()));
        out_.inputs.push_back({name, wanted});
        return name + "^{" + indices + "}";
    }
    /// A matrix that has an inverse: its rows at i, its columns at j. `definite`: a positive definite
    /// one.
    std::string matrix(char i, char j, bool definite, int depth) {
        const std::string at = {i, j}, b = batch(), unit = "\\delta^{" + at + "}";
        switch (below(definite ? 3 : 8)) {
            case 0: {
                const std::string one = input(b + i + 'a'), name = one.substr(0, 1);
                return one + " " + name + "^{" + b + j + "a} + " + unit;
            }
            case 1: {
                const std::string one = input(b + i), name = one.substr(0, 1);
                return "\\exp(-(" + one + " - " + name + "^{" + b + j + "})^2) + " + unit;
            }
            case 2: {
                const std::string one = input(b + i), name = one.substr(0, 1);
                return one + " " + name + "^{" + b + j + "} + 2 " + unit;
            }
            case 3:
                return input(b + j + i) + " + 5 " + unit;
            case 4:
                return "[" + at.substr(0, 1) + " \\ge " + at.substr(1) + "] " + input(b + at) +
                       " + 3 " + unit;
            case 5:
                if (depth > 0)
                    return "\\operatorname{chol}_{" + at + "}(" + matrix(i, j, true, depth - 1) +
                           ")";
                [[fallthrough]];
            case 6:
                if (depth > 0) {
                    const std::string name = named(matrix('m', 'n', false, depth - 1));
                    return name + "^{" + b + at + "}";
                }
                [[fallthrough]];
            default:
                return input(b + at) + " + 5 " + unit;
        }
    }
    /// A matrix at m and n as an equation of its own, at times the last one again.
    std::string named(const std::string& body) {
        const std::string name(1, static_cast<char>('P' + lines_.size()));
        lines_.push_back(name + "^{" + batch() + "mn} = " + body);
        return name;
    }
    /// Something with the index i, in batches or not.
    std::string vector(char i, int depth) {
        switch (below(depth > 0 ? 5 : 3)) {
            case 0:
                return "\\sin(" + input(batch() + i) + ")";
            case 1:
                return input(std::string(1, i) + 'a') + " " + input("a");
            case 2:
                return input(batch() + i);
            case 3:
                return solution(i == 'p' ? 'u' : 'p', i, depth - 1);
            default:
                return "\\tanh(" + solution(i == 'p' ? 'u' : 'p', i, depth - 1) + ")";
        }
    }
    std::string solution(char i, char j, int depth) {
        return "\\operatorname{solve}_{" + std::string{i, j} + "}(" + matrix(i, j, false, depth) +
               ", " + vector(i, depth) + ")";
    }
    /// Of a matrix, and of its batch.
    std::string number(int depth) {
        const std::string at = "_{gh}(" + matrix('g', 'h', false, depth) + ")";
        switch (below(4)) {
            case 0:
                if (!chance(40)) return "\\det" + at;
                // of a product of few columns, which has no inverse where rows are more
                return "\\det_{gh}(" + input(batch() + "ga") + " " + input(batch() + "ha") + ")";
            case 1:
                return "\\log \\det_{gh}(" + matrix('g', 'h', true, depth) + ")";
            default:
                return "\\operatorname{logdet}" + at;
        }
    }

    std::string vector_or_number() {
        open_ = batch();
        switch (below(6)) {
            case 0:
                open_ += 'j';
                return solution('i', 'j', 2);
            case 1:
                open_ += "jr";
                return "\\operatorname{solve}_{ij}(" + matrix('i', 'j', false, 1) + ", " +
                       input(batch() + "ir") + ")";
            case 2:
                open_ += 'j';
                return "\\cos(" + solution('i', 'j', 1) + ") + " + number(1);
            case 3: {
                const std::string name = named(matrix('m', 'n', false, 1));
                return "(" + vector('i', 0) + ") (\\operatorname{solve}_{ji}(" + name + "^{" +
                       batch() + "ji}, " + vector('j', 0) + ")) + \\operatorname{logdet}_{mn}(" +
                       name + "^{" + batch() + "mn})";
            }
            case 4:
                open_ = "";
                return batched_ ? "\\sum_{b} " + number(1) : number(2);
            default:
                return "\\sin(" + number(2) + ")";
        }
    }
    std::string matrix_result() {
        batched_ = false;
        const std::string name = named(matrix('m', 'n', false, 1));
        const auto inverse = [&](const char* at) { return "(" + name + "^{-1})^{" + at + "}"; };
        switch (below(6)) {
            case 0:
                open_ = "ij";
                return inverse("ij") + " + \\exp(" + inverse("ji") + ")";
            case 1:
                return inverse("ii");
            case 2:
                open_ = "i";
                return inverse("ii") + " + " + input("i");
            case 3:
                open_ = "iq";
                return inverse("ij") + " " + inverse("jk") + " " + input("kq");
            case 4:
                return input("i") + " " + inverse("ij") + " " + input("j");
            default:
                open_ = "ij";
                return "\\operatorname{chol}_{ij}(" + matrix('i', 'j', true, 1) + ")";
        }
    }

    std::mt19937 random_;
    std::vector<std::pair<char, std::int64_t>> extents_;
    std::int64_t size_ = 1;
    bool batched_ = false;
    std::string open_;  // the letters of y
    std::vector<std::string> lines_;
    matrix_text out_;
};

}  // namespace ricci::testing
