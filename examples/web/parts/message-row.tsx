import type { ComponentChildren } from 'preact'
import type { Message } from '../api.ts'
import { formatMoment, text } from '../lang/lang.ts'
import { addressIn, Link } from '../router.tsx'
import { Picture } from './picture.tsx'

interface MessageRowProps {
  message: Message
  /** The fan follows its link. Without it the row has none. */
  onOpen?: () => void
}

/** A message of the inbox: one that is not read has a mark. */
export function MessageRow({ message, onOpen }: MessageRowProps) {
  const { title, body, url, imageUrl, createdAt, readAt } = message
  return (
    <li class={readAt === null ? 'row message unread' : 'row message'}>
      {imageUrl && <Picture src={imageUrl} class="thumb" />}
      <span class="grow">
        <strong dir="auto">
          {url !== null && onOpen ? (
            <Target url={url} onOpen={onOpen}>
              {title}
            </Target>
          ) : (
            title
          )}
        </strong>
        <span dir="auto">{body}</span>
        <small class="quiet">
          {formatMoment(createdAt)}
          {readAt === null && <span class="unseen"> {text.inbox.unread}</span>}
        </small>
      </span>
    </li>
  )
}

interface TargetProps {
  url: string
  onOpen: () => void
  children: ComponentChildren
}

/** Of a path of the app, or of a page elsewhere. */
const Target = ({ url, onOpen, children }: TargetProps) =>
  url.startsWith('/') ? (
    <Link to={addressIn(url)} class="whole-row" onFollow={onOpen}>
      {children}
    </Link>
  ) : (
    <a href={url} class="whole-row" target="_blank" rel="noreferrer" onClick={onOpen}>
      {children}
    </a>
  )
