/** The demonstration questions: two of the live match are settled, and fans can vote in the others. */
import type { QuestionEntry } from '../../src/play/questions/entry-schema.ts'
import { type Calendar, MINUTE_MS } from './calendar.ts'
import { DERBY } from './demo-matches.ts'

/** In English, Portuguese, Brazilian Portuguese and Arabic. */
const text = (en: string, pt: string, br: string, ar: string) => ({ en, pt, 'pt-BR': br, ar })

const TEAMS = [
  { id: 'harbour-city', text: text('Harbour City', 'Harbour City', 'Harbour City', 'هاربور سيتي') },
  {
    id: 'ashbourne-rovers',
    text: text('Ashbourne Rovers', 'Ashbourne Rovers', 'Ashbourne Rovers', 'آشبورن روفرز'),
  },
]
const BOTH = { id: 'level', text: text('The same', 'Iguais', 'Iguais', 'متساويان') }
const years = (...all: number[]) => all.map(year => ({ id: `y${year}`, text: String(year) }))

/** Minutes before the seed in which fans vote: in what is settled by now, and in what is open. */
export const PAST = { opens: 19, closes: 10 }
const OPEN = { opens: 9, closes: -150 }

export function questionsOf({ now }: Pick<Calendar, 'now'>): QuestionEntry[] {
  const timesOf = ({ opens, closes }: typeof PAST) => ({
    opensAt: new Date(now.getTime() - opens * MINUTE_MS).toISOString(),
    closesAt: new Date(now.getTime() - closes * MINUTE_MS).toISOString(),
  })
  const ofMatch = { matchId: DERBY, active: true }
  return [
    {
      ...ofMatch,
      ...timesOf(PAST),
      id: 'derby-corners',
      kind: 'prediction',
      title: text(
        'Who has more corners in the first half?',
        'Quem tem mais cantos na primeira parte?',
        'Quem tem mais escanteios no primeiro tempo?',
        'من يحصل على ركنيات أكثر في الشوط الأول؟',
      ),
      options: [TEAMS[0], BOTH, TEAMS[1]].flatMap(option => option ?? []),
      results: 'after_vote',
      correct: 'harbour-city',
      sponsorId: 'tideline-ferries',
    },
    {
      ...ofMatch,
      ...timesOf(PAST),
      id: 'derby-first-title',
      kind: 'quiz',
      title: text(
        'When did Harbour City first win the league?',
        'Quando venceu o Harbour City a liga pela primeira vez?',
        'Quando o Harbour City venceu a liga pela primeira vez?',
        'متى فاز هاربور سيتي بالدوري أول مرة؟',
      ),
      options: years(1931, 1948, 1962, 1977),
      results: 'after_close',
      correct: 'y1948',
      sponsorId: 'northlight-energy',
    },
    {
      ...ofMatch,
      ...timesOf(OPEN),
      id: 'derby-player',
      kind: 'player',
      title: text('Player of the match', 'Jogador do jogo', 'Craque do jogo', 'رجل المباراة'),
      options: { team: 'harbour-city' },
      changeable: true,
      results: 'after_vote',
      sponsorId: 'northlight-energy',
    },
    {
      ...ofMatch,
      ...timesOf(OPEN),
      id: 'derby-next-goal',
      kind: 'prediction',
      title: text(
        'Who scores the next goal?',
        'Quem marca o próximo golo?',
        'Quem marca o próximo gol?',
        'من يسجل الهدف التالي؟',
      ),
      options: [...TEAMS, { id: 'nobody', text: text('Nobody', 'Ninguém', 'Ninguém', 'لا أحد') }],
      changeable: true,
      results: 'live',
      points: 20,
      sponsorId: 'tideline-ferries',
    },
    {
      ...ofMatch,
      ...timesOf(OPEN),
      id: 'derby-capacity',
      kind: 'quiz',
      title: text(
        'How many fans does the stadium hold?',
        'Quantos adeptos leva o estádio?',
        'Quantos torcedores cabem no estádio?',
        'كم مشجعًا يتسع له الملعب؟',
      ),
      options: [12_400, 18_200, 24_600].map(seats => ({ id: `n${seats}`, text: seats.toLocaleString('en') })),
      results: 'after_close',
      correct: 'n18200',
      points: 10,
    },
    {
      ...ofMatch,
      ...timesOf(OPEN),
      id: 'derby-rating',
      kind: 'rating',
      title: text(
        'How do you rate the first half?',
        'Que nota dá à primeira parte?',
        'Que nota você dá ao primeiro tempo?',
        'ما تقييمك للشوط الأول؟',
      ),
      options: { scale: 5 },
      changeable: true,
      results: 'after_vote',
    },
    {
      ...ofMatch,
      ...timesOf(OPEN),
      id: 'derby-song',
      kind: 'poll',
      title: text(
        'Which song at full time?',
        'Que canção no fim do jogo?',
        'Que música no fim do jogo?',
        'أي أغنية عند صافرة النهاية؟',
      ),
      options: [
        {
          id: 'harbour-lights',
          text: text('Harbour Lights', 'Luzes do Porto', 'Luzes do Porto', 'أضواء الميناء'),
        },
        {
          id: 'north-stand',
          text: text(
            'Song of the North Stand',
            'Canto da Bancada Norte',
            'Canto da Arquibancada Norte',
            'نشيد المدرج الشمالي',
          ),
        },
        {
          id: 'tide',
          text: text('When the Tide Comes In', 'Quando a Maré Sobe', 'Quando a Maré Sobe', 'حين يعلو المد'),
        },
      ],
      results: 'live',
    },
  ]
}
