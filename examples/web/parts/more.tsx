/** The next page of a list. */
import { text } from '../lang/lang.ts'
import { type Loaded, useWrite, type Write } from '../load.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** `append` puts the next page below what is shown. */
export const useMore = <Page,>(
  loaded: Loaded<Page>,
  read: (cursor: string) => Promise<Page>,
  append: (page: Page, next: Page) => Page,
): Write<string> =>
  useWrite(async (cursor: string) => {
    const next = await read(cursor)
    if (loaded.data) loaded.set(append(loaded.data, next))
  })

export const MoreButton = ({ more, cursor }: { more: Write<string>; cursor: string | null }) => (
  <>
    {more.error !== null && <Notice error={more.error} />}
    {cursor !== null && (
      <p class="centred">
        <Button kind="plain" busy={more.isBusy} onClick={() => more.run(cursor)}>
          {text.points.more}
        </Button>
      </p>
    )}
  </>
)
