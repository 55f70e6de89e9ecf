import type { Message } from '../api.ts'
import { formatMoment, text } from '../lang/lang.ts'
import { Picture } from './picture.tsx'

/** A message of the inbox: one that is not read has a mark. */
export function MessageRow({ message }: { message: Message }) {
  const { title, body, imageUrl, createdAt, readAt } = message
  return (
    <li class={readAt === null ? 'row message unread' : 'row message'}>
      {imageUrl && <Picture src={imageUrl} class="thumb" />}
      <span class="grow">
        <strong dir="auto">{title}</strong>
        <span dir="auto">{body}</span>
        <small class="quiet">
          {formatMoment(createdAt)}
          {readAt === null && <span class="unseen"> {text.inbox.unread}</span>}
        </small>
      </span>
    </li>
  )
}
