-- SELECT clause
SELECT title, num_pages FROM metadata ORDER BY title
SELECT ALL title FROM metadata ORDER BY 1
SELECT DISTINCT pub_year FROM metadata
SELECT DISTINCT (title, num_pages) FROM metadata ORDER BY ALL
SELECT DISTINCT ON (ref_paper_id) page_number FROM pages ORDER BY ref_paper_id, page_number DESC
SELECT title t, num_pages AS "number of pages" FROM metadata ORDER BY t
SELECT t: title, n: num_pages + 1 FROM metadata ORDER BY t
SELECT title, FROM metadata ORDER BY title
SELECT 1 AS "select", 2 AS "Group", 3 AS "a.b", 4 AS "ü"
SELECT title, title, upper(title) AS title FROM metadata ORDER BY 1
SELECT 1, 1, 1
SELECT "title" FROM "metadata" ORDER BY "title"
SELECT TITLE FROM METADATA ORDER BY Title
SELECT metadata.title, main.metadata.num_pages FROM metadata ORDER BY 1
SELECT papers.main.metadata.title FROM papers.main.metadata ORDER BY 1
SELECT #1, #2 FROM (SELECT title, num_pages FROM metadata ORDER BY 1)
-- FROM-first
FROM metadata SELECT title ORDER BY title
FROM (SELECT title, num_pages FROM metadata) ORDER BY ALL
FROM range(3)
FROM range(3) t(n) SELECT n * n AS sq WHERE n > 0
TABLE reference ORDER BY ordinal, reference_id
FROM (FROM metadata SELECT title LIMIT 1)
-- star expressions
SELECT * FROM reference ORDER BY reference_id
SELECT p.* FROM pages p ORDER BY page_id
SELECT * EXCLUDE (abstract, bibtex) FROM metadata ORDER BY title
SELECT * EXCLUDE abstract FROM metadata ORDER BY title
SELECT * REPLACE (upper(title) AS title) FROM metadata ORDER BY title
SELECT * EXCLUDE (bibtex) REPLACE (lower(title) AS title, 7 AS num_pages) FROM metadata ORDER BY title
SELECT * RENAME (title AS "the title") FROM metadata ORDER BY 2
SELECT * LIKE '%id' FROM metadata ORDER BY 1
SELECT * ILIKE 'TITLE' FROM metadata ORDER BY 1
SELECT * NOT LIKE '%a%' FROM metadata ORDER BY 1
SELECT * SIMILAR TO 'p.*' FROM metadata ORDER BY 1
SELECT COLUMNS('.*_id') FROM chunks ORDER BY ALL
SELECT COLUMNS(['title', 'tldr']) FROM metadata ORDER BY ALL
SELECT COLUMNS(c -> c LIKE 'num%') FROM metadata ORDER BY ALL
SELECT COLUMNS(lambda c: c LIKE 'num%') FROM metadata ORDER BY ALL
SELECT min(COLUMNS(* EXCLUDE (paper_id, authors, tags))) FROM metadata
SELECT max(COLUMNS('^(page_n.*|page_w.*)$')) AS 'max_\1' FROM pages
SELECT COLUMNS('(page)_(width|height)') AS '\2 of \1' FROM pages ORDER BY ALL
SELECT count(COLUMNS(*)) FROM metadata
SELECT coalesce(*COLUMNS(['tldr', 'title'])) FROM metadata ORDER BY 1
SELECT title FROM metadata WHERE COLUMNS(['num_pages', 'pub_year']) > 1 ORDER BY title
SELECT struct_pack(*COLUMNS(['title'])) FROM metadata ORDER BY 1
-- WHERE and operators
SELECT title FROM metadata WHERE title = 'attention'
SELECT title FROM metadata WHERE title == 'attention'
SELECT title FROM metadata WHERE title != 'attention' ORDER BY 1
SELECT title FROM metadata WHERE title <> 'attention' ORDER BY 1
SELECT title FROM metadata WHERE NOT (num_pages > 2 OR pub_year IS NULL) ORDER BY 1
SELECT title FROM metadata WHERE num_pages BETWEEN 1 AND 3 ORDER BY 1
SELECT title FROM metadata WHERE num_pages NOT BETWEEN 3 AND 5 ORDER BY 1
SELECT title FROM metadata WHERE title IN ('bert', 'x')
SELECT title FROM metadata WHERE title NOT IN (SELECT 'bert') ORDER BY 1
SELECT title FROM metadata WHERE (title, num_pages) IN (('bert', 2), ('x', 1))
SELECT title FROM metadata WHERE 'Ada' IN authors ORDER BY 1
SELECT title FROM metadata WHERE title IN ['bert', 'c']
SELECT title FROM metadata WHERE title IS DISTINCT FROM NULL ORDER BY 1
SELECT title FROM metadata WHERE tldr IS NOT DISTINCT FROM 'short' ORDER BY 1
SELECT title FROM metadata WHERE tldr ISNULL OR tldr NOTNULL ORDER BY 1
SELECT title FROM metadata WHERE (num_pages > 1) IS TRUE ORDER BY 1
SELECT title FROM metadata WHERE title LIKE 'b%' ORDER BY 1
SELECT title FROM metadata WHERE title NOT LIKE 'b_rt' ORDER BY 1
SELECT title FROM metadata WHERE title ILIKE '%ER%'
SELECT title FROM metadata WHERE title LIKE 'b\_%' ESCAPE '\' ORDER BY 1
SELECT title FROM metadata WHERE title SIMILAR TO '(a|b).*' ORDER BY 1
SELECT title FROM metadata WHERE title GLOB 'b*'
SELECT title FROM metadata WHERE title ~ 'b.*'
SELECT title FROM metadata WHERE title !~ 'b.*' ORDER BY 1
SELECT title FROM metadata WHERE title ~~ 'b%' AND title !~~ 'c%' AND title ~~* 'B%' AND title ~~~ 'b*'
SELECT title FROM metadata WHERE title ^@ 'be'
SELECT 7 // 2, 7 / 2, 7 % 4, 2 ** 10, 2 ^ 3, -7 // 2, 5 & 3, 5 | 3, xor(5, 3), ~5, 1 << 4, 16 >> 2, @(-3), 5!
SELECT 'a' || 'b', [1] || [2], 'a' || NULL, concat('a', NULL, 1)
SELECT 1 = 1 AND NOT false OR NULL
SELECT 1 < 2, 1 <= 1, 2 > 1, 2 >= 3, NULL = NULL, NULL <> 1
-- literals
SELECT 1_000_000, 0xFF, 1e3, .5, 5., 1E-2, -0
SELECT 'it''s', E'a\tb\n\'c\'', $$dollar 'quoted'$$, $tag$ a $$ b $tag$
SELECT DATE '2024-02-29', TIME '12:30', TIMESTAMP '2024-02-29 12:30:00', INTERVAL '3' DAY, INTERVAL 5 HOUR
SELECT X'AB', '\xAA\xAB'::BLOB, '1010'::BIT
SELECT true, false, NULL, 'NaN'::FLOAT, '-Infinity'::DOUBLE
SELECT 18446744073709551615, 170141183460469231731687303715884105727, 1.123456789012345678901234567890
SELECT UUID '3f2a9c64-5d1e-4b7a-8c20-91d4e6f0a2b3'
-- casts
SELECT CAST('12' AS INTEGER), '12'::BIGINT, TRY_CAST('x' AS INTEGER), TRY(1 / 0), 12::VARCHAR
SELECT '[1, 2]'::INTEGER[], '{''a'': 1}'::STRUCT(a INTEGER), '{a=1}'::MAP(VARCHAR, INTEGER)
SELECT [1, 2]::VARCHAR[], {'a': 1}::STRUCT(a VARCHAR), [1, 2, 3]::DOUBLE[3]
SELECT 1.5::DECIMAL(10, 4), 2.5::INTEGER, -1::UTINYINT IS NULL FROM range(0)
SELECT '2024-01-01'::DATE + 1, DATE '2024-01-31' + INTERVAL 1 MONTH
SELECT 'a'::ENUM('a', 'b'), enum_range(NULL::ENUM('a', 'b')), enum_code('b'::ENUM('a', 'b'))
SELECT CAST(title AS VARCHAR(3)) FROM metadata ORDER BY 1
SELECT 1::"INTEGER", CAST('x' AS "VARCHAR")
SELECT num_pages::DOUBLE::VARCHAR::DOUBLE FROM metadata ORDER BY 1
-- CASE and conditions
SELECT CASE WHEN num_pages > 2 THEN 'long' WHEN num_pages = 2 THEN 'two' ELSE 'short' END FROM metadata
SELECT CASE title WHEN 'bert' THEN 1 END AS c FROM metadata ORDER BY c
SELECT if(num_pages > 1, 'a', 'b'), ifnull(NULL, 1), nullif(1, 1), coalesce(NULL, NULL, 3) FROM metadata
SELECT greatest(1, 2, 3), least('a', 'b')
-- GROUP BY
SELECT pub_year, count(*) FROM metadata GROUP BY pub_year
SELECT pub_year, count(*) AS n FROM metadata GROUP BY ALL
SELECT pub_year y, count() FROM metadata GROUP BY y
SELECT pub_year, count(*) FROM metadata GROUP BY 1
SELECT ref_paper_id, page_number, count(*) FROM pages GROUP BY GROUPING SETS ((ref_paper_id), (page_number), ()) ORDER BY ALL
SELECT page_width, page_number, count(*), grouping(page_width) AS g FROM pages GROUP BY ROLLUP (page_width, page_number) ORDER BY ALL
SELECT page_width, page_number, count(*), grouping_id(page_width, page_number) FROM pages GROUP BY CUBE (page_width, page_number) ORDER BY ALL
SELECT ref_paper_id, count(*) AS n FROM chunks GROUP BY ref_paper_id HAVING n > 3 ORDER BY ALL
SELECT count(*) FILTER (WHERE page_number > 1), count(*) FILTER (page_number = 1) FROM pages
SELECT substr(title, 1, 1) AS s, list(title) FROM metadata GROUP BY s ORDER BY s
SELECT num_pages % 2 AS odd, sum(num_pages) FROM metadata GROUP BY odd
-- aggregates
SELECT count(*), count(DISTINCT title), sum(num_pages), avg(num_pages), min(title), max(title) FROM metadata
SELECT count(DISTINCT (title, num_pages)) FROM metadata
SELECT string_agg(title, ', ' ORDER BY title DESC), group_concat(title, ';' ORDER BY title) FROM metadata
SELECT listagg(title, ' ' ORDER BY title) FROM metadata
SELECT list(title ORDER BY title), array_agg(DISTINCT num_pages) FROM metadata
SELECT first(title ORDER BY title), last(title ORDER BY title), any_value(num_pages) FROM metadata
SELECT arg_max(title, length(title)), arg_min(title, length(title)), max_by(title, title), min_by(title, title) FROM metadata
SELECT max(title, 2), min(page_number, 1), arg_max(title, title, 2) FROM metadata, pages
SELECT median(num_pages), mode(num_pages), quantile_cont(num_pages, 0.25), quantile_disc(num_pages, [0.1, 0.9]) FROM metadata
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY page_number) FROM pages
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY page_number DESC) FROM pages
SELECT stddev(page_number), var_pop(page_number), stddev_samp(page_number), mad(page_number), sem(page_number) FROM pages
SELECT corr(page_number, page_width), covar_pop(page_number, page_width), regr_slope(page_width, page_number) FROM pages
SELECT skewness(page_number), kurtosis(page_number), entropy(page_number) FROM pages
SELECT bool_and(num_pages > 1), bool_or(num_pages > 5), bit_and(num_pages), bit_or(num_pages), bit_xor(num_pages) FROM metadata
SELECT product(page_number), fsum(page_number), geomean(page_number), favg(page_number) FROM pages
SELECT histogram(page_number), histogram(ref_paper_id) FROM pages WHERE page_number = 1
SELECT map(list(title ORDER BY title), list(paper_id ORDER BY title)) FROM metadata
SELECT map_from_entries(list({'k': paper_id, 'v': title} ORDER BY title)) FROM metadata
SELECT list((title, num_pages) ORDER BY title), max((num_pages, title)) FROM metadata
SELECT count_if(num_pages > 1), countif(num_pages > 9), sum(num_pages > 1) FROM metadata
SELECT approx_count_distinct(title), approx_quantile(num_pages, 0.5) FROM metadata
SELECT bitstring_agg(page_number, 1, 4) FROM pages
SELECT json_group_array(num_pages / 0.0), json_group_object(title, num_pages) FROM (FROM metadata ORDER BY title)
SELECT sum(num_pages) / count(*), avg(num_pages / 0), list(num_pages / 0) FROM metadata
SELECT list(DISTINCT (num_pages - 2) / (num_pages - 2)) FROM metadata
SELECT sum(DISTINCT num_pages) FROM metadata
-- HAVING, QUALIFY and windows
SELECT title FROM metadata QUALIFY row_number() OVER (ORDER BY title) = 1
SELECT ref_paper_id, page_number FROM pages QUALIFY row_number() OVER (PARTITION BY ref_paper_id ORDER BY page_number DESC) = 1 ORDER BY 1
SELECT title, rank() OVER (ORDER BY num_pages), dense_rank() OVER (ORDER BY title), percent_rank() OVER (ORDER BY title) FROM metadata ORDER BY title
SELECT title, lag(title) OVER w, lead(title, 1, 'none') OVER w FROM metadata WINDOW w AS (ORDER BY title) ORDER BY title
SELECT title, rank() OVER "my w" FROM metadata WINDOW "my w" AS (ORDER BY title), v AS (PARTITION BY title) ORDER BY title
SELECT page_number, sum(page_number) OVER (ORDER BY page_number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM pages ORDER BY ALL
SELECT page_number, sum(page_number) OVER (ORDER BY page_number RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM pages ORDER BY ALL
SELECT page_number, count(*) OVER (ORDER BY page_number GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM pages ORDER BY ALL
SELECT title, first_value(title) OVER (ORDER BY title), last_value(title) OVER (), nth_value(title, 2) OVER () IS NULL FROM metadata ORDER BY title
SELECT title, first_value(tldr IGNORE NULLS) OVER (ORDER BY title) FROM metadata ORDER BY title
SELECT title, ntile(2) OVER (ORDER BY title), cume_dist() OVER (ORDER BY title) FROM metadata ORDER BY title
SELECT title, count(*) FILTER (WHERE num_pages > 1) OVER () FROM metadata ORDER BY title
SELECT title, string_agg(title, ',' ORDER BY title DESC) OVER () FROM metadata ORDER BY title
SELECT title, sum(sum(num_pages)) OVER () FROM metadata GROUP BY title ORDER BY title
SELECT title, count(DISTINCT num_pages) OVER () FROM metadata ORDER BY title
-- ORDER BY and LIMIT
SELECT title FROM metadata ORDER BY num_pages DESC NULLS LAST, title ASC NULLS FIRST
SELECT title FROM metadata ORDER BY ALL DESC
SELECT title FROM metadata ORDER BY length(title) DESC, 1
SELECT title FROM metadata ORDER BY title COLLATE NOCASE DESC
SELECT title, num_pages FROM metadata ORDER BY COLUMNS(*)
SELECT title FROM metadata ORDER BY title LIMIT 1
SELECT title FROM metadata ORDER BY title LIMIT 1 OFFSET 1
SELECT title FROM metadata ORDER BY title OFFSET 1
SELECT title FROM metadata ORDER BY title LIMIT 50%
SELECT title FROM metadata ORDER BY title LIMIT (SELECT 1)
SELECT title FROM metadata ORDER BY title FETCH FIRST 1 ROWS ONLY
SELECT title FROM metadata ORDER BY title OFFSET 1 ROWS FETCH NEXT ROW ONLY
SELECT title FROM metadata ORDER BY title LIMIT ALL
SELECT title FROM metadata LIMIT 0
SELECT title FROM (SELECT title FROM metadata ORDER BY title DESC LIMIT 1)
SELECT title FROM metadata USING SAMPLE 100%
SELECT count(*) FROM metadata TABLESAMPLE reservoir(100%)
-- joins
SELECT m.title, p.page_number FROM metadata m JOIN pages p ON p.ref_paper_id = m.paper_id ORDER BY ALL
SELECT m.title, p.page_number FROM metadata m INNER JOIN pages p ON (p.ref_paper_id = m.paper_id AND p.page_number = 1) ORDER BY ALL
SELECT m.title, i.image_caption FROM metadata m LEFT JOIN images i ON i.ref_paper_id = m.paper_id ORDER BY ALL
SELECT m.title, i.image_caption FROM metadata m RIGHT OUTER JOIN images i ON i.ref_paper_id = m.paper_id ORDER BY ALL
SELECT a.n, b.n FROM range(3) a(n) FULL JOIN range(2, 5) b(n) ON a.n = b.n ORDER BY ALL
SELECT a.n, b.n FROM range(2) a(n) CROSS JOIN range(2) b(n) ORDER BY ALL
SELECT a.n, b.n FROM range(2) a(n), range(2) b(n) WHERE a.n < b.n
SELECT n FROM range(3) a(n) JOIN range(2, 5) b(n) USING (n)
SELECT * FROM (SELECT 1 AS "x y", 2 AS z) a JOIN (SELECT 1 AS "x y", 3 AS z) b USING ("x y")
SELECT * FROM (SELECT 1 AS n) a NATURAL JOIN (SELECT 1 AS n, 2 AS m) b
SELECT title FROM metadata m SEMI JOIN images i ON i.ref_paper_id = m.paper_id ORDER BY 1
SELECT title FROM metadata m ANTI JOIN equations e ON e.ref_paper_id = m.paper_id ORDER BY 1
SELECT * FROM range(2) a(n) POSITIONAL JOIN range(5, 8) b(m)
SELECT a.n, b.m FROM range(3) a(n) ASOF JOIN (VALUES (0), (2)) b(m) ON a.n >= b.m ORDER BY ALL
SELECT a.n, b.m FROM range(3) a(n) ASOF LEFT JOIN (VALUES (1)) b(m) ON a.n > b.m ORDER BY ALL
SELECT m.title, x.n FROM metadata m, LATERAL (SELECT count(*) AS n FROM pages p WHERE p.ref_paper_id = m.paper_id) x ORDER BY ALL
SELECT m.title, x.n FROM metadata m LEFT JOIN LATERAL (SELECT m.num_pages + 1 AS n) x ON true ORDER BY ALL
SELECT a.title, b.title FROM metadata a JOIN metadata b ON a.title < b.title
SELECT title, a FROM metadata, unnest(authors) t(a) ORDER BY ALL
SELECT m.title, c.text_content, p.page_number FROM metadata m JOIN chunks c ON c.ref_paper_id = m.paper_id JOIN pages p ON c.ref_page_id = p.page_id ORDER BY ALL
SELECT count(*) FROM pages, images, tables
-- subqueries
SELECT title, (SELECT count(*) FROM pages p WHERE p.ref_paper_id = m.paper_id) AS n FROM metadata m ORDER BY ALL
SELECT title FROM metadata WHERE paper_id IN (SELECT ref_paper_id FROM images) ORDER BY 1
SELECT title FROM metadata m WHERE EXISTS (SELECT 1 FROM sections s WHERE s.ref_paper_id = m.paper_id) ORDER BY 1
SELECT title FROM metadata m WHERE NOT EXISTS (FROM tables t WHERE t.ref_paper_id = m.paper_id AND t.ordinal > 5) ORDER BY 1
SELECT title FROM metadata WHERE num_pages >= ALL (SELECT num_pages FROM metadata) ORDER BY 1
SELECT title FROM metadata WHERE title = ANY (SELECT 'bert')
SELECT title FROM metadata WHERE 'Ada' = ANY(authors) ORDER BY 1
SELECT title FROM metadata WHERE title > SOME (VALUES ('a')) ORDER BY 1
SELECT ARRAY(SELECT title FROM metadata ORDER BY title) AS titles
SELECT (SELECT {'a': min(title), 'b': max(title)} FROM metadata) AS s
SELECT sum(x) FROM (SELECT 1 AS x) AS "t 1"("x")
SELECT m FROM metadata m ORDER BY title LIMIT 1
SELECT x.title FROM (SELECT unnest([m]) AS x FROM metadata m) ORDER BY 1
-- WITH
WITH a AS (SELECT 1 AS x) SELECT * FROM a
WITH a(y) AS (SELECT 1), b AS (SELECT y + 1 AS z FROM a) SELECT * FROM a, b
WITH a AS MATERIALIZED (SELECT title FROM metadata) FROM a ORDER BY ALL
WITH a AS NOT MATERIALIZED (SELECT title FROM metadata) FROM a ORDER BY ALL
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT list(n) FROM t
WITH RECURSIVE t(n, f) AS (SELECT 0, 1 UNION SELECT n + 1, f * (n + 1) FROM t WHERE n < 9) SELECT * FROM t ORDER BY n
WITH RECURSIVE t(a, b) USING KEY (a) AS (SELECT 1, 3 UNION SELECT a, b - 1 FROM t WHERE b > 0) SELECT * FROM t
WITH "odd name" AS (SELECT 1 AS "odd column") SELECT "odd column" FROM "odd name"
WITH metadata AS (SELECT 1 AS x) SELECT * FROM metadata
WITH a AS (WITH b AS (SELECT 2 AS y) SELECT * FROM b) SELECT * FROM a
WITH a AS (VALUES (1, 'x'), (2, 'y')) SELECT * FROM a
-- set operations
SELECT 1 UNION SELECT 1
SELECT 1 UNION ALL SELECT 2 ORDER BY 1 DESC
SELECT title FROM metadata UNION ALL BY NAME SELECT 1 AS n, 'x' AS title ORDER BY ALL
SELECT 1 AS a UNION BY NAME SELECT 2 AS b ORDER BY ALL
SELECT * FROM range(4) INTERSECT SELECT * FROM range(2, 6) ORDER BY 1
SELECT unnest([1, 1, 2]) INTERSECT ALL SELECT unnest([1, 1, 1]) ORDER BY 1
SELECT * FROM range(4) EXCEPT SELECT 2 ORDER BY 1
SELECT unnest([1, 1, 2]) EXCEPT ALL SELECT 1 ORDER BY 1
(SELECT 1) UNION (SELECT 2) ORDER BY 1 LIMIT 1
(SELECT title FROM metadata ORDER BY title LIMIT 1) UNION ALL (SELECT 'z') ORDER BY 1
((SELECT 1))
FROM range(2) UNION ALL FROM range(1)
-- VALUES
VALUES (1, 'a'), (2, NULL)
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(n, s)
SELECT "t 1".x FROM (VALUES (1)) AS "t 1"(x)
VALUES (1), (2) ORDER BY 1 DESC LIMIT 1
-- PIVOT and UNPIVOT
PIVOT metadata ON num_pages IN (2, 3) USING count(*) GROUP BY pub_year
SELECT * FROM (PIVOT pages ON page_number IN (1, 2) USING count(*) GROUP BY page_width)
PIVOT (SELECT page_number, page_width FROM pages) ON page_number IN (1, 2) USING max(page_width) AS w, count(*) AS n
SELECT * FROM (SELECT page_number, page_width FROM pages) PIVOT (sum(page_width) FOR page_number IN (1, 2))
SELECT * FROM (SELECT page_number AS p, page_width AS w, page_height AS h FROM pages) PIVOT (count(*) FOR p IN (1 AS one, 2 AS two) GROUP BY w)
UNPIVOT (SELECT page_id, page_width, page_height FROM pages ORDER BY page_id) ON page_width, page_height INTO NAME side VALUE points
UNPIVOT (SELECT 1 AS a, 2 AS b) ON COLUMNS(*)
SELECT * FROM (SELECT 1 AS a, NULL AS b) UNPIVOT INCLUDE NULLS (v FOR k IN (a, b))
SELECT * FROM (SELECT 1 AS "a b", 2 AS c) UNPIVOT (v FOR k IN ("a b" AS 'x', c))
-- lists and arrays
SELECT authors, tags, authors[1], authors[-1], authors[1:1], tags[:], tags[2:], authors[9] FROM metadata ORDER BY title
SELECT [1, 2, 3], [], [NULL], [[1], [2, 3]], array_value(1, 2), ([1, 2, 3]::INTEGER[3])
SELECT [1, 2, 3, 4, 5][2:4], [1, 2, 3, 4, 5][1:5:2], [1, 2, 3][-2:], 'text'[2:3], 'text'[-1]
SELECT [x + 1 FOR x IN [1, 2, 3] IF x > 1]
SELECT [("x y", 1) FOR "x y" IN [1, 2]]
SELECT [x * i FOR x, i IN [5, 6]]
SELECT list_transform([1, 2], x -> x + 1), list_filter([1, 2], x -> x > 1), list_reduce([1, 2, 3], (a, b) -> a + b)
SELECT list_transform([1, 2], lambda x: x + 1), list_transform([5, 6], lambda x, i: x * i)
SELECT list_transform([1], "my x" -> "my x" + 1), list_filter([1, 2], "order" -> "order" > 1)
SELECT list_transform([[1, 2], [3]], l -> list_transform(l, x -> x + len(l)))
SELECT list_sort([3, 1, NULL]), list_reverse_sort([1, 3]), list_distinct([1, 1]), list_unique([1, 1]), list_sum([1, 2]), list_avg([1, 2])
SELECT list_contains([1, 2], 2), list_has_any([1], [2]), list_has_all([1, 2], [1]), [1, 2] @> [1], [1] <@ [1, 2], [1] && [1]
SELECT list_concat([1], [2]), list_append([1], 2), list_prepend(0, [1]), list_position([5, 6], 6), list_slice([1, 2, 3], 2, 3)
SELECT list_zip(authors, [1, 2, 3]), array_zip([1], ['a']), flatten([[1], [2]]), list_aggregate([1, 2], 'sum') FROM metadata LIMIT 1
SELECT unnest([1, 2]), unnest(['a', 'b', 'c'])
SELECT unnest([{'a': 1, 'b': [2]}, {'a': 3, 'b': NULL}], recursive := true)
SELECT unnest([[1, 2], [3]], max_depth := 2)
SELECT title, unnest(authors) AS author FROM metadata ORDER BY ALL
SELECT unnest(list_zip(authors, tags)) FROM metadata LIMIT 2
SELECT array_length([1, 2]), len([1]), cardinality(MAP {'a': 1}), array_to_string(authors, '; ') FROM metadata
SELECT range(3), range(1, 10, 3), generate_series(1, 3), list_value(1, 2), repeat([1], 2)
SELECT array_distance([1, 2]::FLOAT[2], [3, 4]::FLOAT[2]), array_inner_product([1.0, 2.0]::DOUBLE[2], [3.0, 4.0]::DOUBLE[2]), list_cosine_similarity([1.0, 2.0], [2.0, 1.0])
SELECT bounding_box, bounding_box[3] * bounding_box[4] AS area FROM images ORDER BY ALL
SELECT page_numbers, list_max(page_numbers), page_numbers[1] FROM sections ORDER BY ALL
SELECT generate_subscripts([4, 5], 1)
SELECT list_where([1, 2], [true, false]), list_select([5, 6], [2]), list_grade_up([3, 1]), list_intersect([1, 2], [2])
-- structs, maps and unions
SELECT {'a': 1, 'b': 'x'}, row(1, 'x'), (1, 2), struct_pack(a := 1, "b c" := 2), {a: 1}
SELECT s.a, s['b'], s."c d", struct_extract(s, 'a') FROM (SELECT {'a': 1, 'b': 2, 'c d': 3} AS s)
SELECT s.* FROM (SELECT {'a': 1, 'b': 2} AS s)
SELECT unnest({'a': 1, 'b': 2})
SELECT (1, 'x')[2], struct_insert({'a': 1}, "b c" := 2), struct_concat({'a': 1}, {'b': 2})
SELECT t.s.a.b FROM (SELECT {'a': {'b': [1, 2]}} AS s) t
SELECT MAP {'a': 1, 'b': NULL}, map(['k'], [2]), MAP {}, MAP {1.5: 'a'}, MAP {[1]: 'x', [2]: 'y'}, MAP {{'a': 1}: 2}
SELECT m['a'], m['z'], element_at(m, 'a'), map_keys(m), map_values(m), map_entries(m), map_contains(m, 'a') FROM (SELECT MAP {'a': 1} AS m)
SELECT MAP {DATE '2024-01-01': 1, 'infinity': 2}, MAP {true: 'x'}, map_from_entries([('a', 1)]), map_concat(MAP {1: 2}, MAP {3: 4})
SELECT paper_id, [paper_id], {'p': paper_id}, MAP {paper_id: 1} FROM metadata ORDER BY title
SELECT union_value(k := 1), 1::UNION(i INTEGER, s VARCHAR), union_tag('x'::UNION(i INTEGER, s VARCHAR)), union_extract(union_value(k := 1), 'k')
SELECT {'ratio': num_pages / 0, 'none': NULL, 'nan': 0 / 0} FROM metadata
-- JSON
SELECT '{"a": [1, {"b": null}]}'::JSON, '[1, 2]'::JSON -> 0, '{"a": "x"}'::JSON ->> 'a', '{"a": {"b": 1}}'::JSON -> '$.a.b'
SELECT json_extract('{"a": 1}', '$.a'), json_extract_string('{"a": "x"}', 'a'), json_array_length('[1, 2]'), json_type('{}'), json_keys('{"b": 1, "a": 2}')
SELECT to_json({'a': [1, NULL]}), to_json([1.5, 'inf'::DOUBLE]), json_object('k', 'v'), json_array(1, 'a', NULL), json_object('x', 'nan'::DOUBLE)
SELECT json_object('title', title, 'ratio', (num_pages - 2) / 0) FROM metadata ORDER BY title
SELECT row_to_json(m) FROM (SELECT title, authors FROM metadata) m ORDER BY 1
SELECT key, value, type, atom, path FROM json_each('{"a": 1, "b": [true]}')
SELECT fullkey, type FROM json_tree('{"a": [1, {"b": 2}]}')
SELECT j.a, j['b'], j.b[0] FROM (SELECT '{"a": 1, "b": [2]}'::JSON AS j)
SELECT json_transform('{"a": "1", "b": [2]}', '{"a": "INTEGER", "b": ["INTEGER"]}'), from_json('[1]', '["INTEGER"]'), json_structure('{"a": [1]}')
SELECT json_merge_patch('{"a": 1}', '{"b": 2}'), json_valid('{'), json_contains('[1, 2]', '1'), json_quote('a'), json_pretty('{"a":1}')
SELECT '{"a":1}'::JSON::STRUCT(a INTEGER), '[1,2]'::JSON::INTEGER[], CAST({'a': 1} AS JSON)
-- text functions
SELECT upper(title), lower(title), length(title), strlen('é'), reverse(title), title[1:2], left(title, 2), right(title, 2) FROM metadata ORDER BY title
SELECT substring('hello', 2, 3), substr('hello', 2), substring('hello' FROM 2 FOR 2), position('l' IN 'hello'), instr('hello', 'l'), strpos('hello', 'o')
SELECT trim('  x '), trim(BOTH 'x' FROM 'xax'), ltrim('  x'), rtrim('x  ', ' '), trim(LEADING FROM '  y'), lpad('7', 3, '0'), rpad('7', 3, '*')
SELECT replace('abc', 'b', 'x'), translate('abc', 'ab', 'xy'), repeat('ab', 3)
SELECT split_part('a,b', ',', 2), string_split('a b', ' '), str_split_regex('a1b', '\d'), regexp_split_to_array('a-b', '-'), ('a,b').split(',')
SELECT regexp_matches('abc', 'b'), regexp_replace('abcb', 'b', 'x', 'g'), regexp_extract('a12', '(\d)(\d)', 2), regexp_extract_all('a1b2', '\d'), regexp_full_match('ab', 'a.')
SELECT regexp_extract('2024-05', '(\d+)-(\d+)', ['y', 'm']), regexp_escape('a.b')
SELECT starts_with('abc', 'a'), ends_with('abc', 'c'), contains('abc', 'b'), prefix('abc', 'ab'), suffix('abc', 'bc')
SELECT concat_ws('-', 'a', NULL, 'b'), format('{} {:.2f}', 'a', 1.5), printf('%05d %s', 42, 'x'), chr(65), ascii('A'), unicode('é'), ord('a')
SELECT levenshtein('a', 'b'), damerau_levenshtein('ab', 'ba'), jaccard('ab', 'ab'), jaro_similarity('ab', 'ac'), jaro_winkler_similarity('ab', 'ac'), hamming('ab', 'ac')
SELECT md5('a'), sha256('a'), hash('a') = hash('a'), base64('a'::BLOB), from_base64('YQ=='), hex('a'), unhex('61'), encode('é'), decode('\x61'::BLOB)
SELECT strip_accents('é'), nfc_normalize('é'), 'a' COLLATE NOCASE = 'A', format_bytes(16384), bar(3, 0, 10, 10)
SELECT title.upper().substring(1, 3), (title || '!').length() FROM metadata ORDER BY title
SELECT text_content FROM chunks WHERE text_content.lower().contains('page 2') ORDER BY 1
SELECT parse_filename('a/b.c'), parse_path('a/b'), url_encode('a b'), url_decode('a%20b')
-- numbers
SELECT abs(-1), ceil(1.2), floor(-1.2), round(2.567, 2), round(15, -1), trunc(1.9), sign(-2), mod(7, 3), pow(2, 3), sqrt(2), cbrt(27)
SELECT exp(1), ln(2), log(100), log2(8), log10(1000), pi(), sin(1), atan2(1, 2), degrees(pi()), radians(180), gamma(5), factorial(20)
SELECT gcd(12, 18), lcm(4, 6), even(3), isnan('nan'::DOUBLE), isinf('inf'::DOUBLE), isfinite(1.0), bit_count(7), nextafter(1.0, 2.0)
SELECT 1 / 3, 10 / 4, 10 // 4, 0.1 + 0.2, 0.1::DOUBLE + 0.2::DOUBLE, 1.0::FLOAT / 3, 1e308 * 10, 5 % 0, 1 / 0
SELECT 2::HUGEINT ** 100, sum(9223372036854775807) FROM range(3)
-- dates
SELECT year(DATE '2024-05-06'), month(DATE '2024-05-06'), dayname(DATE '2024-05-06'), extract(week FROM DATE '2024-05-06'), date_part('quarter', DATE '2024-05-06')
SELECT date_trunc('month', TIMESTAMP '2024-05-06 10:00:00'), date_diff('day', DATE '2024-01-01', DATE '2024-02-01'), date_add(DATE '2024-01-01', INTERVAL 1 YEAR), date_sub('hour', TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-02')
SELECT strftime(DATE '2024-05-06', '%d/%m/%Y'), strptime('06.05.2024', '%d.%m.%Y'), try_strptime('x', '%Y'), make_date(2024, 5, 6), make_time(1, 2, 3.5), make_timestamp(2024, 1, 1, 1, 1, 1)
SELECT age(TIMESTAMP '2024-05-06', TIMESTAMP '2023-01-01'), last_day(DATE '2024-02-01'), epoch(TIMESTAMP '2024-01-01'), epoch_ms(0), to_timestamp(0)::TIMESTAMP, time_bucket(INTERVAL 1 WEEK, DATE '2024-05-06')
SELECT DATE '2024-01-02' - DATE '2024-01-01', TIMESTAMP '2024-01-02' - TIMESTAMP '2024-01-01 12:00', INTERVAL 1 YEAR + INTERVAL 2 DAY, INTERVAL '1 day' * 3, to_days(3), to_years(2)
SELECT DATE '0044-03-15 (BC)', 'infinity'::DATE, '-infinity'::TIMESTAMP, TIMESTAMP_NS '2024-01-01 00:00:00.123456789', '10:00:00+01'::TIMETZ, '2024-01-01 00:00:00+00'::TIMESTAMPTZ
SELECT d FROM generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL 1 MONTH) t(d)
SELECT isodow(DATE '2024-05-06'), yearweek(DATE '2024-05-06'), century(DATE '2024-05-06'), julian(DATE '2024-05-06'), monthname(DATE '2024-05-06')
-- table functions and utilities
SELECT * FROM generate_series(1, 5, 2)
SELECT * FROM range(2) AS "r r"("i i")
SELECT "r r"."i i" FROM range(2) AS "r r"("i i")
SELECT * FROM unnest([1, 2]) WITH ORDINALITY
SELECT * FROM repeat_row(1, 'x', num_rows = 2)
SELECT typeof(1), typeof([1.5]), typeof({'a': NULL}), pg_typeof('x'), alias(title), stats(1) IS NULL FROM metadata LIMIT 1
SELECT row_number() OVER () AS n, rowid >= 0 FROM metadata
SELECT constant_or_null(1, NULL), error_free FROM (SELECT 1 AS error_free)
SELECT 42 AS answer, (SELECT 43), [44], current_schema() = 'main'
SELECT can_cast_implicitly(1::BIGINT, 1::INTEGER), is_histogram_other_bin(1), equi_width_bins(0, 10, 2, true)
-- comments and layout
SELECT 1 -- comment; with 'a quote
SELECT /* nested /* comment; */ here */ 1 AS x
/* before */ SELECT 1 AS x /* after */
SELECT ';' AS ";" -- end ;
select title from metadata order by title desc nulls last
SELECT(1)AS"x"
SELECT  title  FROM	metadata ORDER  BY title
-- DESCRIBE and SUMMARIZE
DESCRIBE metadata
DESC chunks
DESCRIBE SELECT title, num_pages, authors FROM metadata
SHOW sections
SUMMARIZE SELECT page_number FROM pages
SUMMARIZE equations
SELECT column_name, column_type FROM (DESCRIBE pages)
FROM (SUMMARIZE pages) SELECT column_name, min, max
-- names that are keywords
SELECT tables.table_caption, reference.reference_content FROM tables, reference ORDER BY ALL
SELECT "tables"."ordinal" AS "ordinal" FROM tables ORDER BY ALL
SELECT s.ordinal "end", s.section_title "table" FROM sections s ORDER BY ALL
SELECT x AS "a'b", 'c"d' AS "e""f" FROM (SELECT 1 AS x)
SELECT * EXCLUDE ("a b", c) REPLACE (1 AS "d e") FROM (SELECT 1 AS "a b", 2 AS c, 3 AS "d e")
SELECT * RENAME ("a b" AS "c d") FROM (SELECT 1 AS "a b")
SELECT COLUMNS(['a b', 'c']) FROM (SELECT 1 AS "a b", 2 AS c)
SELECT "x y" FROM (SELECT 1 AS "x y") a NATURAL JOIN (SELECT 1 AS "x y", 2 AS z) b
SELECT s."a b" FROM (SELECT struct_pack("a b" := 1) AS s)
SELECT 'a' COLLATE "NOCASE" = 'A' AS c
