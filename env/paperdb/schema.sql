-- The database of format 1. The comments are shown to the model as they are.
-- There are no FOREIGN KEY clauses: DuckDB cannot delete and insert a referenced row in one transaction, so
-- with them a paper could not be replaced. The writer keeps the references whole instead.
CREATE TABLE metadata (
    paper_id UUID PRIMARY KEY,
    title VARCHAR,
    abstract VARCHAR,
    num_pages INTEGER,
    conference_full VARCHAR,
    conference_abbreviation VARCHAR,
    pub_year INTEGER,
    volume VARCHAR,
    download_url VARCHAR,
    bibtex VARCHAR,
    authors VARCHAR[],
    pdf_path VARCHAR,
    tldr VARCHAR,
    tags VARCHAR[]
);
COMMENT ON TABLE metadata IS 'One row per paper. Each of the other tables points to it by ref_paper_id.';
COMMENT ON COLUMN metadata.paper_id IS 'id of the paper';
COMMENT ON COLUMN metadata.title IS 'title of the paper';
COMMENT ON COLUMN metadata.abstract IS 'abstract, NULL when unknown';
COMMENT ON COLUMN metadata.num_pages IS 'number of pages of the PDF';
COMMENT ON COLUMN metadata.conference_full IS 'full name of the conference or journal, NULL when unknown';
COMMENT ON COLUMN metadata.conference_abbreviation IS 'short name of the venue without the year, such as ''ACL'' for acl2023 (the year is in pub_year), NULL when unknown';
COMMENT ON COLUMN metadata.pub_year IS 'year of publication, such as 2023, NULL when unknown';
COMMENT ON COLUMN metadata.volume IS 'volume or part of the proceedings, such as ''Long Papers'', NULL when unknown';
COMMENT ON COLUMN metadata.download_url IS 'web address of the PDF, NULL when unknown';
COMMENT ON COLUMN metadata.bibtex IS 'BibTeX entry to cite the paper with, NULL when unknown';
COMMENT ON COLUMN metadata.authors IS 'names of the authors in printed order';
COMMENT ON COLUMN metadata.pdf_path IS 'where the PDF is stored; not needed to view pages';
COMMENT ON COLUMN metadata.tldr IS 'summary of the paper in a few sentences, NULL when none was made';
COMMENT ON COLUMN metadata.tags IS 'keywords of the paper, empty when none were made';

CREATE TABLE pages (
    page_id UUID PRIMARY KEY,
    page_number INTEGER,
    page_width INTEGER,
    page_height INTEGER,
    page_content VARCHAR,
    page_summary VARCHAR,
    ref_paper_id UUID
);
COMMENT ON TABLE pages IS 'One row per page of a paper, with its text.';
COMMENT ON COLUMN pages.page_id IS 'id of the page';
COMMENT ON COLUMN pages.page_number IS 'number of the page in the PDF, from 1';
COMMENT ON COLUMN pages.page_width IS 'width of the page in points (1/72 inch)';
COMMENT ON COLUMN pages.page_height IS 'height of the page in points';
COMMENT ON COLUMN pages.page_content IS 'text of the whole page';
COMMENT ON COLUMN pages.page_summary IS 'short summary of the page, NULL when none was made';
COMMENT ON COLUMN pages.ref_paper_id IS 'the paper, metadata.paper_id';

CREATE TABLE images (
    image_id UUID PRIMARY KEY,
    image_caption VARCHAR,
    image_summary VARCHAR,
    bounding_box INTEGER[4],
    ordinal INTEGER,
    ref_paper_id UUID,
    ref_page_id UUID
);
COMMENT ON TABLE images IS 'One row per figure of a paper.';
COMMENT ON COLUMN images.image_id IS 'id of the figure';
COMMENT ON COLUMN images.image_caption IS 'caption below or above the figure, empty text when it has none';
COMMENT ON COLUMN images.image_summary IS 'short description of the figure, NULL when none was made';
COMMENT ON COLUMN images.bounding_box IS 'place on the page as [x0, y0, width, height] in points, x0 and y0 counted from the top left corner';
COMMENT ON COLUMN images.ordinal IS 'position among the figures of the paper, from 0';
COMMENT ON COLUMN images.ref_paper_id IS 'the paper, metadata.paper_id';
COMMENT ON COLUMN images.ref_page_id IS 'the page it is on, pages.page_id';

CREATE TABLE chunks (
    chunk_id UUID PRIMARY KEY,
    text_content VARCHAR,
    ordinal INTEGER,
    ref_paper_id UUID,
    ref_page_id UUID
);
COMMENT ON TABLE chunks IS 'One row per passage: the text of a page cut into pieces, none across two pages.';
COMMENT ON COLUMN chunks.chunk_id IS 'id of the passage';
COMMENT ON COLUMN chunks.text_content IS 'text of the passage';
COMMENT ON COLUMN chunks.ordinal IS 'position among the passages of the paper, from 1';
COMMENT ON COLUMN chunks.ref_paper_id IS 'the paper, metadata.paper_id';
COMMENT ON COLUMN chunks.ref_page_id IS 'the page it is from, pages.page_id';

CREATE TABLE tables (
    table_id UUID PRIMARY KEY,
    table_caption VARCHAR,
    table_content VARCHAR,
    table_summary VARCHAR,
    bounding_box INTEGER[4],
    ordinal INTEGER,
    ref_paper_id UUID,
    ref_page_id UUID
);
COMMENT ON TABLE tables IS 'One row per table printed in a paper.';
COMMENT ON COLUMN tables.table_id IS 'id of the table';
COMMENT ON COLUMN tables.table_caption IS 'caption of the table, empty text when it has none';
COMMENT ON COLUMN tables.table_content IS 'cells of the table in HTML, empty text when only its place is known';
COMMENT ON COLUMN tables.table_summary IS 'short description of the table, NULL when none was made';
COMMENT ON COLUMN tables.bounding_box IS 'place on the page as [x0, y0, width, height] in points, x0 and y0 counted from the top left corner';
COMMENT ON COLUMN tables.ordinal IS 'position among the tables of the paper, from 0';
COMMENT ON COLUMN tables.ref_paper_id IS 'the paper, metadata.paper_id';
COMMENT ON COLUMN tables.ref_page_id IS 'the page it is on, pages.page_id';

CREATE TABLE sections (
    section_id UUID PRIMARY KEY,
    section_title VARCHAR,
    section_content VARCHAR,
    section_summary VARCHAR,
    ordinal INTEGER,
    page_numbers INTEGER[],
    ref_paper_id UUID
);
COMMENT ON TABLE sections IS 'One row per section of a paper.';
COMMENT ON COLUMN sections.section_id IS 'id of the section';
COMMENT ON COLUMN sections.section_title IS 'heading, such as ''3 Method''';
COMMENT ON COLUMN sections.section_content IS 'text of the section without its heading';
COMMENT ON COLUMN sections.section_summary IS 'short summary of the section, NULL when none was made';
COMMENT ON COLUMN sections.ordinal IS 'position among the sections of the paper, from 0';
COMMENT ON COLUMN sections.page_numbers IS 'numbers of the pages it is on, from 1';
COMMENT ON COLUMN sections.ref_paper_id IS 'the paper, metadata.paper_id';

CREATE TABLE equations (
    equation_id UUID PRIMARY KEY,
    equation_content VARCHAR,
    ordinal INTEGER,
    ref_paper_id UUID,
    ref_page_id UUID
);
COMMENT ON TABLE equations IS 'One row per displayed equation of a paper.';
COMMENT ON COLUMN equations.equation_id IS 'id of the equation';
COMMENT ON COLUMN equations.equation_content IS 'the formula, in LaTeX between $$ where it could be recognised';
COMMENT ON COLUMN equations.ordinal IS 'position among the equations of the paper, from 0';
COMMENT ON COLUMN equations.ref_paper_id IS 'the paper, metadata.paper_id';
COMMENT ON COLUMN equations.ref_page_id IS 'the page it is on, pages.page_id';

CREATE TABLE reference (
    reference_id UUID PRIMARY KEY,
    reference_content VARCHAR,
    ordinal INTEGER,
    ref_paper_id UUID,
    ref_page_id UUID
);
COMMENT ON TABLE reference IS 'One row per entry of the bibliography of a paper.';
COMMENT ON COLUMN reference.reference_id IS 'id of the entry';
COMMENT ON COLUMN reference.reference_content IS 'text of the entry';
COMMENT ON COLUMN reference.ordinal IS 'position in the bibliography, from 0';
COMMENT ON COLUMN reference.ref_paper_id IS 'the paper that cites, metadata.paper_id';
COMMENT ON COLUMN reference.ref_page_id IS 'the page it is printed on, pages.page_id, NULL when unknown';

CREATE SCHEMA airqa;
CREATE TABLE airqa.files (
    paper_id UUID PRIMARY KEY,
    sha256 VARCHAR,
    metadata_sha256 VARCHAR,
    name VARCHAR,
    parser VARCHAR,
    problems VARCHAR[],
    illegible VARCHAR,
    withdrawn VARCHAR,
    labels VARCHAR[]
);
CREATE INDEX files_by_hash ON airqa.files (sha256);
-- Where the rows of a paper are, to find them without reading whole tables. file is its row id in airqa.files, ranges the
-- first and last row id in each table but metadata, in the order of this file; the first is above the last where it has no
-- rows. Row ids are stable, since the engine moves no rows in tables with a primary key. Only metadata has a column that it
-- updates by writing the row again.
CREATE TABLE airqa.places (paper_id UUID PRIMARY KEY, file BIGINT, ranges BIGINT[]);
CREATE TABLE airqa.info (format INTEGER, engine VARCHAR);
INSERT INTO airqa.info SELECT 2, version();
