/** What actions are and what they are about, in words. */
import { sentence } from '../../parts/capital.ts'
import { addressOf, Link } from '../../router.tsx'
import { may } from '../../session.ts'

interface SubjectProps {
  of: { kind: string; id: string; name: string | null }
  /** False where the row itself opens something. */
  link?: boolean
}

/** What an action is about: `webhook_endpoint` as “webhook endpoint”, a fan by name. */
export function SubjectName({ of: { kind, id, name }, link = true }: SubjectProps) {
  const to = link ? addressOfSubject(kind, id) : undefined
  const shown = <bdi>{name ?? id}</bdi>
  return (
    <>
      <span class="quiet">{kind.replaceAll(/[_-]/g, ' ')}</span> {to ? <Link to={to}>{shown}</Link> : shown}
    </>
  )
}

function addressOfSubject(kind: string, id: string): string | undefined {
  if (kind === 'fan' && may('fans.read')) return addressOf('fans', id)
  if (kind === 'order' && may('orders.read')) return addressOf('orders', id)
  return undefined
}

/** `grantPoints` as words: "Grant points". */
export function wordsOf(operation: string): string {
  return sentence(operation.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`))
}
