/** The next page of a list. */
import { text } from '../lang/lang.ts'
import { type Loaded, useWrite, type Write } from '../load.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** `append` adds the next page to the shown one. */
export const useMore = <Page, Next>(
  loaded: Loaded<Page>,
  read: (cursor: string) => Promise<Next>,
  append: (page: Page, next: Next) => Page,
): Write<string> =>
  useWrite(async (cursor: string) => {
    const next = await read(cursor)
    if (loaded.data) loaded.set(append(loaded.data, next))
  })

interface MoreButtonProps {
  more: Write<string>
  /** Null: there is no more. */
  cursor: string | null
  label?: string
}

export const MoreButton = ({ more, cursor, label = text.points.more }: MoreButtonProps) => (
  <>
    {more.error !== null && <Notice error={more.error} />}
    {cursor !== null && (
      <p class="centred">
        <Button kind="plain" busy={more.isBusy} onClick={() => more.run(cursor)}>
          {label}
        </Button>
      </p>
    )}
  </>
)
