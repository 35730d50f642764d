// CSV files as people have them: what is read is equal value by value however it was written down,
// and what cannot be read names the file and the line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <vector>

#include "zerolab/core/require.hpp"
#include "zerolab/nn/dataset.hpp"

namespace zerolab {
namespace {

struct Csv : testing::Test {
  const std::string path = testing::TempDir() + "zerolab_csv_" + std::to_string(getpid()) + ".csv";
  MemoryLedger ledger;

  ~Csv() override { std::filesystem::remove_all(path); }

  std::unique_ptr<Dataset> open(const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return open_dataset("csv:" + path, 1, ledger);
  }
  std::string error(const std::string& text) {
    try {
      open(text);
    } catch (const Error& fault) {
      EXPECT_EQ(ledger.total().peak, 0U) << "storage was made before the fault was found";
      return fault.what();
    }
    return "no error";
  }
  void expect_error(const std::string& text, const std::string& wanted) {
    const std::string found = error(text);
    EXPECT_TRUE(found.starts_with(path) && found.find(wanted) != std::string::npos)
        << "wanted: " << wanted << "\nfound:  " << found << "\ntext:   " << text;
  }
};

using Rows = std::vector<std::vector<float>>;  // features, then the label

Rows rows_of(const Dataset& data, Split split) {
  Rows rows;
  for (std::size_t i = 0; i < data.samples(split); ++i) {
    std::vector<float>& row = rows.emplace_back(data.features());
    data.read(split, i, row);
    row.push_back(static_cast<float>(data.label(split, i)));
  }
  return rows;
}

const Rows train_rows{{1, -2.5F, 0}, {0.125F, 3, 2}, {7, 1000, 1}, {-0.5F, 0.25F, 2}, {10, 11, 1}};
const Rows test_rows{{8, 9, 0}};

// The same table as train_rows and test_rows: the fifth of the six lines is the test row.
std::string table(const std::string& end, const std::string& comma = ",") {
  std::string text;
  for (const char* row :
       {"1 -2.5 0", "0.125 3 2", "7 1e3 1", "-.5 +0.25 +2", "8 9 0", "10. 11 1"}) {
    for (const char* c = row; *c != 0; ++c) text += *c == ' ' ? comma : std::string(1, *c);
    text += end;
  }
  return text;
}

void expect_table(const Dataset& data) {
  EXPECT_EQ(data.classes(), 3U);
  EXPECT_EQ(rows_of(data, Split::train), train_rows);
  EXPECT_EQ(rows_of(data, Split::test), test_rows);
}

TEST_F(Csv, EveryWayToWriteATableReadsTheSame) {
  const std::string lf = table("\n"), unended = lf.substr(0, lf.size() - 1);
  for (const std::string& text :
       {lf, unended, table("\r\n"), table("\r\r\n"), lf + "\n\n", lf + " \t\r\n\n", lf + "\n \t",
        "\xEF\xBB\xBF" + lf, table(" \t\n", " ,\t "), unended + "\r", "x,y,label\n" + lf,
        "\xEF\xBB\xBF\"x, 1\",\"7\",\"label\"\r\n" + table("\r\n"), ",y,\n" + lf}) {
    SCOPED_TRACE(text);
    expect_table(*open(text));
  }
}

// Closed form: rows × (features × 4 + 4), all of it data, and gone with the data set.
TEST_F(Csv, HoldsWhatItsDimensionsSay) {
  auto data = open(table("\n"));
  EXPECT_EQ(data->bytes(), 6U * (2 * 4 + 4));
  EXPECT_EQ(ledger.line(Category::data).now, data->bytes());
  EXPECT_EQ(ledger.total().peak, data->bytes());
  data.reset();
  EXPECT_EQ(ledger.total().now, 0U);
}

struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(Csv, LocaleWithDecimalCommaChangesNothing) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;  // the C library's, where one is installed
  }
  expect_table(*open(table("\n")));
  std::locale::global(old);
  std::setlocale(LC_ALL, before.c_str());
}

TEST_F(Csv, EverythingIeeeIsAValue) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto data = open(
      "nan,inf,-Inf,1e30,1e300,-1e400,0\n"
      "1e-400,-1e-60,1e-45,16777217,1e99999999999999999999,1e-99999999999999999999,1\n"
      "1" +
      std::string(500, '0') + "e-499,0." + std::string(500, '0') + "3,0.1,-0,+5," +
      std::string(60, '9') + ",1\n");
  const Rows rows = rows_of(*data, Split::train);
  EXPECT_TRUE(std::isnan(rows[0][0]));
  EXPECT_EQ(std::vector(rows[0].begin() + 1, rows[0].end() - 1),
            (std::vector<float>{inf, -inf, 1e30F, inf, -inf}));
  // 16777217 = 2^24 + 1 is a tie and goes to the even neighbour.
  EXPECT_EQ(rows[1], (std::vector<float>{0, -0.0F, 0x1p-149F, 16777216, inf, 0, 1}));
  EXPECT_TRUE(std::signbit(rows[1][1]));
  EXPECT_EQ(rows[2], (std::vector<float>{10, 0, 0.1F, -0.0F, 5, inf, 1}));
}

// The sign of the exponent decides, however many digits it has: 310 are more than a double can be.
TEST_F(Csv, ExponentsOfAnyLengthAreRead) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::string nines(310, '9'), zeros(310, '0');
  const auto data =
      open("1e-" + nines + ",-1" + zeros + "E-" + nines + ",1e" + nines + ",-0." + zeros + "1e+" +
           nines + ",0e" + nines + ",0.0E-" + nines + ",1e" + zeros + "2,1\n");
  const Rows rows = rows_of(*data, Split::train);
  EXPECT_EQ(rows[0], (std::vector<float>{0, -0.0F, inf, -inf, 0, 0, 100, 1}));
  EXPECT_TRUE(std::signbit(rows[0][1]));
}

TEST_F(Csv, FaultsNameTheLine) {
  expect_error("1,2,0\n3,4\n", " line 2: 2 fields, but the first line has 3");
  expect_error("1,2,0\n3,4,5,1\n", " line 2: 4 fields, but the first line has 3");
  expect_error("a,b\n1,2,0\n", " line 2: 3 fields, but the first line has 2");
  expect_error("1,2,0\n3,,1\n", " line 2: field 2 is empty");
  expect_error("1,2,0\n3,4,\n", " line 2: field 3 is empty");
  expect_error(",,\n1,2,0\n", " line 1: field 1 is empty");
  expect_error("1,2,0\r\n3,x4,1\r\n", " line 2: field 2 is 'x4', which is no number");
  for (const char* text : {"0x10", "1e", "--1", "+-1", "++1", "1 2", "1.2.3", "1_000", "-", "é"}) {
    expect_error("1,2,0\n" + std::string(text) + ",4,1\n", " line 2: field 1 is '");
  }
  expect_error("1,2,0\n\"3\",4,1\n", " line 2: quotes");
  for (const char* label : {"1.0", "-1", "65536", "99999999999999999999", "nan", "1e2", "cat"}) {
    expect_error("1,2,0\n3,4," + std::string(label) + "\n",
                 " line 2: the label is '" + std::string(label));
  }
  expect_error("1,2,0\n\n\n3,4,1\n", " line 4: a row after line 2, which is blank");
  expect_error("1,2,0\r3,4,1\r", " line 1: a carriage return");
  expect_error("1\n2\n", " line 1: one column");
  EXPECT_EQ(open("1,2,65535\n")->classes(), 65536U);
  EXPECT_EQ(open("1,2,0\n")->classes(), 2U);
}

TEST_F(Csv, HintsAtWhatTheFileIsInstead) {
  expect_error("1;2;0\n3;4;1\n", "semicolons?");
  expect_error("1,5;2,5;0\n", "semicolons?");
  expect_error(std::string("1,2,0\n\0,4,1\n", 12), " line 2: holds a zero byte: compressed?");
  expect_error("\x1f\x8b\x08\x08 text\n", " line 1: gzip, not text: compressed?");
  for (const char* text : {"", "\n\n", " ", "x,y,label\n", "x,y,label", "\xEF\xBB\xBF"}) {
    expect_error(text, ": no samples in it");
  }
}

TEST_F(Csv, WhatIsNoFileIsNamed) {
  const auto refusal = [&] {
    try {
      open_dataset("csv:" + path, 1, ledger);
    } catch (const Error& fault) {
      return std::string(fault.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refusal(), path + ": no such file");
  std::filesystem::create_directory(path);
  EXPECT_EQ(refusal(), path + ": is a directory, not a file");
  std::filesystem::remove(path);
  std::ofstream(path) << table("\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (geteuid() == 0) GTEST_SKIP() << "root can read every file";
  EXPECT_EQ(refusal(), path + ": cannot be opened: Permission denied");
}

}  // namespace
}  // namespace zerolab
