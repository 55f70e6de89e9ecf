/** The page of a visitor who is not signed in. */
import { text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Notice } from '../parts/notice.tsx'
import { readConfig, startSignIn } from '../sign-in.ts'

const ICONS: IconName[] = ['matches', 'shield', 'rewards']
const PICTURES = ['cards-cup-final-whistle', 'cards-overhead-kick', 'cards-captains-armband']

interface WelcomeProps {
  /** The message about the end of the last session or sign-in. */
  notice: string | null
}

export function Welcome({ notice }: WelcomeProps) {
  const start = useWrite(async (_: null) => startSignIn(await readConfig()))
  const error = start.error ?? (notice === null ? null : new Error(notice))
  return (
    <main class="welcome">
      <div class="welcome-text">
        <p class="brand">
          <img src="/demo/icon.svg" alt="" width="40" height="40" />
          {text.appName}
        </p>
        <h1>{text.signIn.title}</h1>
        <p class="lead">{text.signIn.lead}</p>
        {error !== null && <Notice error={error} />}
        <Button busy={start.isBusy} onClick={() => start.run(null)}>
          {text.signIn.button}
        </Button>
        <p class="welcome-about">{text.signIn.about}</p>
        <ul class="features">
          {text.signIn.features.map((feature, nth) => (
            <li key={feature}>
              <Icon name={ICONS[nth] ?? 'check'} />
              {feature}
            </li>
          ))}
        </ul>
      </div>
      <div class="fan-out" aria-hidden="true">
        {PICTURES.map(name => (
          <img key={name} src={`/demo/pictures/${name}.svg`} alt="" />
        ))}
      </div>
    </main>
  )
}
