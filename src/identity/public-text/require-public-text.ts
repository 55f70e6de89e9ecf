/** Checks public texts of fans. Each write of such a text calls it, in its unit of work. */
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { policyOf } from './policy.ts'
import { publicTextProblems } from './problems.ts'
import { hasAccepted } from './terms.ts'

export interface PublicText {
  /** JSON Pointer of the text in the request. */
  pointer: string
  /** Null and undefined are no text: they are left out. */
  text: string | null | undefined
}

/** `userId`: the fan who writes, whose record is locked. Without a filter and terms it reads nothing. */
export async function requirePublicText(
  tx: Transaction,
  userId: string,
  texts: readonly PublicText[],
): Promise<void> {
  const written = texts.flatMap(({ pointer, text }) => (text ? [{ pointer, text }] : []))
  if (written.length === 0) return
  const { filter, termsVersion, termsUrl } = await policyOf(tx)
  if (termsVersion !== null && !(await hasAccepted(tx, userId, termsVersion)))
    throw new DomainError(publicTextProblems.terms_not_accepted, { required: termsVersion, url: termsUrl })
  const found = filter ? written.filter(({ text }) => filter.matches(text)) : []
  if (found.length === 0) return
  if (filter?.action === 'flag')
    return tx.spine.publicText.flag(
      tx,
      userId,
      found.map(({ text }) => text),
    )
  const errors = found.map(({ pointer }) => ({
    pointer,
    message: 'must not contain words that are not allowed',
  }))
  throw new DomainError(publicTextProblems.text_not_allowed, { errors })
}

/** For a name that a fan chooses. @throws DomainError `text_not_allowed` if it looks like one of the club */
export async function requireUnreservedName(tx: Transaction, pointer: string, name: string): Promise<void> {
  if (!(await policyOf(tx)).isReserved(name)) return
  const errors = [{ pointer, message: 'must not be a name of the club' }]
  throw new DomainError(publicTextProblems.text_not_allowed, { errors })
}
