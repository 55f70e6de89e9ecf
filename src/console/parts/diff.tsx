import { Icon } from './icon.tsx'
import { Empty } from './states.tsx'

export interface Change {
  /** The member: a name or a JSON pointer. */
  member: string
  /** Undefined: it did not exist. */
  from?: unknown
  /** Undefined: it is gone. */
  to?: unknown
}

const inWords = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 1))

/** Changed members with old and new values, one per row. The words "from" and "to" are for screen readers. */
export const DiffView = ({ changes }: { changes: Change[] }) =>
  changes.length === 0 ? (
    <Empty icon="check" title="Nothing changes" />
  ) : (
    <dl class="diff">
      {changes.map(({ member, from, to }) => (
        <div key={member}>
          <dt>
            <code>{member}</code>
          </dt>
          <dd>
            {from === undefined ? (
              <span class="none">not set</span>
            ) : (
              <del>
                <span class="unseen">from </span>
                <bdi>{inWords(from)}</bdi>
              </del>
            )}
            <Icon name="next" />
            {to === undefined ? (
              <span class="none">removed</span>
            ) : (
              <ins>
                <span class="unseen">to </span>
                <bdi>{inWords(to)}</bdi>
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
