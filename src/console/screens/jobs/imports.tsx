/** Starts imports. */
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/page.tsx'
import { may } from '../../session.ts'
import { IMPORTS, type ImportKind, isImport, type RunData } from './words.ts'

const KINDS = Object.keys(IMPORTS).filter(isImport)

export const Imports = ({ runs, onStart }: { runs: RunData[]; onStart: (kind: ImportKind) => unknown }) => (
  <Section title="Imports" about="A file is tried first: you see what would change before anything does.">
    <ul class="starts">
      {KINDS.map(kind => {
        const isRunning = runs.some(run => run.state === 'running' && run.kind === kind)
        const blocked = !may('jobs.write')
          ? 'Your role cannot import.'
          : isRunning && 'One import of each kind runs at a time.'
        const { what, about } = IMPORTS[kind]
        return (
          <li key={kind}>
            <span class="quiet">{about}</span>
            <Button icon="up" blocked={blocked} onClick={() => onStart(kind)}>
              {`Import ${what}`}
            </Button>
          </li>
        )
      })}
    </ul>
  </Section>
)
