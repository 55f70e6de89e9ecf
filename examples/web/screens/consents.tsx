/** What the fan agrees to. Each choice is saved at once, and a withdrawal is as easy as an agreement. */
import { readConsents, readDocuments, writeConsents } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { ConsentChoices } from '../parts/consents.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { addressOf } from '../router.tsx'

async function loadConsents() {
  const [{ documents }, { consents }] = await Promise.all([readDocuments(), readConsents()])
  return { documents, consents }
}

export function Consents() {
  const loaded = useLoaded('consents', loadConsents)
  const save = useWrite(async (change: Parameters<typeof writeConsents>[0], key) => {
    const { consents } = await writeConsents(change, key)
    if (loaded.data) loaded.set({ ...loaded.data, consents })
  })
  return (
    <Screen title={text.nav.consents} lead={text.consents.lead} up={addressOf('profile')}>
      {save.error !== null && <Notice error={save.error} />}
      <Loading of={loaded}>
        {({ documents, consents }) =>
          documents.length === 0 ? (
            <Empty>{text.consents.none}</Empty>
          ) : (
            <div class="form panel" aria-busy={save.isBusy}>
              <ConsentChoices
                documents={documents}
                granted={({ purpose, version }) =>
                  save.busy?.[purpose]?.granted ??
                  // An earlier version is asked again.
                  consents.some(one => one.purpose === purpose && one.grantedVersion === version)
                }
                onChange={({ purpose, version }, granted) => save.run({ [purpose]: { granted, version } })}
              />
            </div>
          )
        }
      </Loading>
    </Screen>
  )
}
