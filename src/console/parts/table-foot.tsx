/** The foot of a table: how many rows there are, more of them, and the file with all of them. */
import { Button } from './button.tsx'
import { saveTable } from './csv.tsx'
import { formatCount } from './format.ts'
import { type Paged, useAction } from './resource.ts'
import { Failed } from './states.tsx'
import type { Column } from './table-row.tsx'

/** The foot of a list by cursor. */
export function More<Row>({ pages, count }: { pages: Paged<Row>; count: number }) {
  if (pages.moreError !== null)
    return <Failed error={pages.moreError} onRetry={pages.more} busy={pages.isLoadingMore} />
  return (
    <>
      <span class="quiet" role="status">
        {pages.hasMore ? `The first ${formatCount(count)}` : `${formatCount(count)} in all`}
      </span>
      {pages.hasMore && (
        <Button small busy={pages.isLoadingMore} onClick={pages.more}>
          Load more
        </Button>
      )}
    </>
  )
}

/** Rows of a file; a longer list is cut here, which the button says. */
const CSV_MAX = 10_000

interface CsvProps<Row> {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  pages: Paged<Row> | undefined
}

/** Saves the whole list as CSV: pages that are not loaded yet are read first. */
export function CsvButton<Row>({ label, columns, rows, pages }: CsvProps<Row>) {
  const save = useAction(async () => {
    let all = rows
    while (pages?.hasMore && all.length < CSV_MAX) {
      await pages.more()
      if (pages.moreError !== null) throw pages.moreError
      const read = pages.data ?? []
      // Another read of the list has ended meanwhile: what is there is saved.
      if (read.length <= all.length) break
      all = read
    }
    saveTable(label, columns, all)
  })
  const isCut = pages?.hasMore === true && rows.length >= CSV_MAX
  return (
    <Button
      small
      kind="quiet"
      icon="download"
      label={`CSV of ${label}${isCut ? `, the first ${formatCount(rows.length)} rows` : ''}`}
      busy={save.isBusy}
      onClick={() => save.run()}
    >
      CSV
    </Button>
  )
}
