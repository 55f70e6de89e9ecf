/** The catalogue editor: entries by kind, one entry with its form, history and preview. */
import { route } from '../../router.tsx'
import { NotFound } from '../../screens.tsx'
import { EntryScreen } from './entry.tsx'
import { isKind } from './kinds.ts'
import { EntriesScreen } from './list.tsx'

/** `/catalogue`, `/catalogue/rewards`, `/catalogue/rewards/new`, `/catalogue/rewards/entry/home-scarf`. */
export function Screen() {
  const [, kind = 'reward', what, id] = route.value
  if (!isKind(kind)) return <NotFound />
  if (what === undefined) return <EntriesScreen key={kind} kind={kind} />
  if (what === 'new' && id === undefined) return <EntryScreen key={`new ${kind}`} kind={kind} id={null} />
  if (what === 'entry' && id !== undefined) return <EntryScreen key={`${kind} ${id}`} kind={kind} id={id} />
  return <NotFound />
}
