/** The catalogue editor: entries by kind, one entry with its form, history and preview. */
import { api } from '../../api.ts'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { route } from '../../router.tsx'
import { NotFound } from '../../screens.tsx'
import { EntryScreen } from './entry.tsx'
import { inOrder, type Kind } from './kinds.ts'
import { EntriesScreen } from './list.tsx'

/** `/catalogue`, `/catalogue/reward`, `/catalogue/reward/new`, `/catalogue/reward/entry/home-scarf`. */
export function Screen() {
  // A key for each address, so that another screen reads the numbers of entries again.
  return <Shown key={route.value.join('/')} />
}

function Shown() {
  const kinds = useResource('catalogue kinds', signal => api.listCatalogueKinds({}, { signal }))
  if (kinds.data) return <Routed kinds={inOrder(kinds.data.kinds)} />
  return (
    <Page title="Catalogue">
      <Loaded of={kinds}>{() => null}</Loaded>
    </Page>
  )
}

function Routed({ kinds }: { kinds: Kind[] }) {
  const [, name, what, id] = route.value
  const kind = name === undefined ? kinds[0] : kinds.find(one => one.kind === name)
  if (!kind) return <NotFound />
  if (kind.only !== null)
    return what === undefined ? <EntryScreen key={kind.kind} kind={kind} id={kind.only} /> : <NotFound />
  if (what === undefined) return <EntriesScreen key={kind.kind} of={kind} kinds={kinds} />
  if (what === 'new' && id === undefined)
    return <EntryScreen key={`new ${kind.kind}`} kind={kind} id={null} />
  if (what === 'entry' && id !== undefined)
    return <EntryScreen key={`${kind.kind} ${id}`} kind={kind} id={id} />
  return <NotFound />
}
