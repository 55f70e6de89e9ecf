/** Redeems the code of a campaign: from a scarf, a ticket or the screen in the stadium. */
import { useState } from 'preact/hooks'
import { redeemCode } from '../api.ts'
import { text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Refused } from './refused.tsx'

type Gave = Awaited<ReturnType<typeof redeemCode>>['gave']

/** What a code gave. */
export const Gift = ({ gave }: { gave: Gave }) => (
  <span class="ready">
    <Icon name="check" />
    {describeGift(gave)}
  </span>
)

function describeGift({ points, rewardId, packId, collectibleId }: Gave): string {
  return [
    points !== null && text.enterCode.points(points),
    rewardId !== null && text.enterCode.reward,
    packId !== null && text.enterCode.pack,
    collectibleId !== null && text.enterCode.card,
  ]
    .filter(part => part !== false)
    .join(' ')
}

export function EnterCode() {
  const [gave, setGave] = useState<Gave | null>(null)
  const write = useWrite(async (code: string, key) => {
    setGave(null)
    setGave((await redeemCode(code, key)).gave)
  })
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const code = String(new FormData(form).get('code')).trim()
    if (code !== '') await write.run(code)
  }
  return (
    <form class="form panel" onSubmit={submit}>
      <label>
        <span>{text.enterCode.label}</span>
        <input
          name="code"
          required
          maxLength={64}
          dir="ltr"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
        />
      </label>
      <Refused write={write} />
      <div class="form-foot">
        <Button submit busy={write.isBusy}>
          {text.enterCode.button}
        </Button>
        <span role="status">{gave !== null && <Gift gave={gave} />}</span>
      </div>
    </form>
  )
}
