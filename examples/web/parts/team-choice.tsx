import type { Team } from '../api.ts'
import { Crest } from './picture.tsx'

interface TeamChoiceProps {
  teams: Team[]
  value: string | null
  onChange: (teamId: string) => unknown
}

export const TeamChoice = ({ teams, value, onChange }: TeamChoiceProps) => (
  <div class="teams">
    {teams.map(team => (
      <button
        type="button"
        key={team.id}
        class="team"
        aria-pressed={team.id === value}
        onClick={() => onChange(team.id)}
      >
        <Crest team={team} size="l" />
        <span>{team.name}</span>
      </button>
    ))}
  </div>
)
