/** Offers pushes after a prediction, when the fan has something to hear about. The browser asks only after a click. */
import { useState } from 'preact/hooks'
import { text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { markAsked, turnOn } from '../pushes.ts'
import { Button } from './button.tsx'
import { Refused } from './refused.tsx'

export function AskPushes() {
  const [answer, setAnswer] = useState<'on' | 'blocked' | 'later' | null>(null)
  const write = useWrite(async (_: null) => {
    const isOn = await turnOn()
    markAsked()
    setAnswer(isOn ? 'on' : 'blocked')
  })
  const decline = () => {
    markAsked()
    setAnswer('later')
  }
  if (answer !== null)
    return (
      <p class="quiet" role="status">
        {text.pushes[answer]}
      </p>
    )
  return (
    <section class="panel ask-pushes" aria-label={text.pushes.title}>
      <h3>{text.pushes.title}</h3>
      <p>{text.pushes.lead}</p>
      <Refused write={write} />
      <p class="actions">
        <Button busy={write.isBusy} onClick={() => write.run(null)}>
          {text.pushes.turnOn}
        </Button>
        <Button kind="plain" onClick={decline}>
          {text.pushes.notNow}
        </Button>
      </p>
    </section>
  )
}
