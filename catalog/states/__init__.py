"""What one scan leaves of a table: mergeable column states, folded from Arrow batches.

``fold`` turns rows into a `TableState`; ``merge_all`` joins states of disjoint sets of rows; ``encode`` and
``decode`` keep them; ``metrics`` reads them. A state is a commutative monoid, as tests/laws/states holds
it, so that what a file says is computed once in the file's life and every version of a table, past or
future, is a merge.

===============  =====================================================================================================
exact always     rows, nulls, empties, NaNs, complete rows, least and largest value (strings cut to 256 bytes), sums of
                 integers and decimals, counts of characters by class, lengths
exact up to      everything, of a column with at most 128 distinct values none of which is longer than 256 bytes: it is
                 kept value by value
beyond that      distinct: exact of one batch; of merged ones estimated from a hash sample of 1,024 values at most
                 (exact where all values are unique), whose counts are exact; of strings 64 of these values are kept as
                 they are written, a fair draw. frequent: the top 64, each with at most `floor` rows too few.
                 quantiles: 128 points, rank error stated, extremes exact. shapes: the top 64 at a level that fits, the
                 rest counted as other
===============  =====================================================================================================
"""
