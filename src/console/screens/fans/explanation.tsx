import { api } from '../../api.ts'
import { useResource } from '../../parts/resource.ts'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { Points } from '../../parts/values.tsx'
import type { TimelineItem } from './types.ts'

interface ExplanationProps {
  fanId: string
  event: NonNullable<TimelineItem['event']>
}

/** What each rule and each notification made of an event, and why. */
export function Explanation({ fanId, event: { source, eventId } }: ExplanationProps) {
  const explained = useResource(`fan ${fanId} event ${source} ${eventId}`, signal =>
    api.explainFanEvent({ fanId, source, eventId }, { signal }),
  )
  return (
    <Loaded of={explained} skeleton={<Skeleton lines={2} />}>
      {({ rules, taken, data, messages }) => (
        <div class="explanation">
          <h4>Rules</h4>
          {rules.length === 0 ? (
            <p>No rule listens to events of this type.</p>
          ) : (
            <ul>
              {rules.map(rule => (
                <li key={rule.ruleId}>
                  <span>
                    <bdi class="strong">{rule.name}</bdi> <bdi>{rule.words}</bdi>
                  </span>
                  {rule.granted !== null && <Points value={rule.granted} signed />}
                </li>
              ))}
            </ul>
          )}
          {taken !== null && <p>Its void: {taken}</p>}
          {messages.length > 0 && (
            <>
              <h4>Messages</h4>
              <ul>
                {messages.map(({ notificationId, words }) => (
                  <li key={notificationId}>
                    <span>
                      <bdi class="strong">{notificationId}</bdi> {words}
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
          {data !== null && (
            <details>
              <summary>Data of the event</summary>
              <pre dir="ltr">{pretty(data)}</pre>
            </details>
          )}
        </div>
      )}
    </Loaded>
  )
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
