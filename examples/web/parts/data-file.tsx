/** The file with all data of the fan: asked for, written, and kept for a week. */
import { useEffect } from 'preact/hooks'
import { readDataFile, requestDataFile } from '../api.ts'
import { formatDay, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from './button.tsx'
import { Section } from './layout.tsx'
import { Refused } from './refused.tsx'

/** While the file is written. */
const AGAIN_MS = 2_000

export function DataFile() {
  const loaded = useLoaded('data-file', async () => ({ file: await readDataFile() }))
  const ask = useWrite(async (_: null) => loaded.set({ file: await requestDataFile() }))
  const download = useWrite(async (_: null) => {
    // A link works for ten minutes: this one is new.
    const file = await readDataFile()
    loaded.set({ file })
    if (file?.url) location.assign(file.url)
  })
  const isPending = loaded.data?.file?.state === 'pending'
  useEffect(() => {
    if (!isPending) return
    const timer = setInterval(() => void loaded.reload(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [isPending, loaded.reload])
  return (
    <Section title={text.dataFile.title}>
      <p class="quiet">{text.dataFile.lead}</p>
      <Loading of={loaded} skeleton={<Bones count={1} />}>
        {({ file }) => (
          <>
            <p aria-live="polite">
              {file?.state === 'pending' && text.dataFile.pending}
              {file?.state === 'ready' && text.dataFile.until(formatDay(file.expiresAt))}
            </p>
            <p class="actions">
              {file?.state === 'ready' && (
                <Button busy={download.isBusy} onClick={() => download.run(null)}>
                  {text.dataFile.download}
                </Button>
              )}
              {file?.state !== 'pending' && (
                <Button kind="plain" busy={ask.isBusy} onClick={() => ask.run(null)}>
                  {file ? text.dataFile.askAgain : text.dataFile.ask}
                </Button>
              )}
            </p>
          </>
        )}
      </Loading>
      <Refused write={ask} />
      <Refused write={download} />
    </Section>
  )
}
