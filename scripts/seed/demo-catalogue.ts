/** The demonstration teams and rewards. */

/** The team of the club. */
export const OWN_TEAM = 'harbour-city'

export const teams = [
  ['ashbourne-rovers', 'Ashbourne Rovers', 'ASH', 'Ashbourne', 'GB', '#1b5e20', '#fdd835'],
  ['bellavista-cf', 'Bellavista CF', 'BEL', 'Bellavista', 'ES', '#b71c1c', '#fff8e1'],
  ['castellane-sporting', 'Sporting Castellane', 'CAS', 'Castellane', 'FR', '#0d47a1', '#ffffff'],
  ['drakenfels-sv', 'SV Drakenfels', 'DRA', 'Drakenfels', 'DE', '#212121', '#ffb300'],
  ['harbour-city', 'Harbour City FC', 'HAR', 'Port Wessel', 'IE', '#0b3d91', '#f4f4f4'],
  ['kitakaze-united', 'Kitakaze United', 'KIT', 'Kitakaze', 'JP', '#4a148c', '#e0f7fa'],
  ['porto-sereno', 'AC Porto Sereno', 'SER', 'Porto Sereno', 'IT', '#006064', '#ffccbc'],
  ['vila-do-sol', 'Vila do Sol EC', 'SOL', 'Vila do Sol', 'BR', '#f9a825', '#1565c0'],
] as const

interface SeedReward {
  id: string
  title: string
  description: string
  itemType: string
  pointsRequired: number
  /** Initial stock; unlimited if omitted. */
  stock?: number
  sponsorId?: string
  active?: boolean
  /** In days from the seed. */
  startsIn?: number
  endsIn?: number
}

export const rewards: SeedReward[] = [
  {
    id: 'welcome-wallpaper',
    title: 'Match-day wallpaper',
    description: 'The floodlit stand, for your lock screen.',
    itemType: 'digital',
    pointsRequired: 0,
  },
  {
    id: 'anthem-ringtone',
    title: 'Anthem ringtone',
    description: 'Thirty seconds of the north stand at full voice.',
    itemType: 'digital',
    pointsRequired: 50,
  },
  {
    id: 'scarf-discount',
    title: '20 % off the home scarf',
    description: 'One scarf of this season, in the stadium shop or online.',
    itemType: 'voucher',
    pointsRequired: 100,
    stock: 250,
  },
  {
    id: 'half-time-tea',
    title: 'Half-time tea',
    description: 'A hot drink at any kiosk in the ground.',
    itemType: 'voucher',
    pointsRequired: 150,
    sponsorId: 'northlight-energy',
  },
  {
    id: 'match-poster',
    title: 'Match poster',
    description: 'The hand-printed poster of the next home match.',
    itemType: 'merchandise',
    pointsRequired: 250,
    stock: 400,
  },
  {
    id: 'family-day-entry',
    title: 'Family day entry',
    description: 'Entry for two to the open training and the museum.',
    itemType: 'experience',
    pointsRequired: 300,
    stock: 120,
  },
  {
    id: 'away-coach-seat',
    title: 'A seat on the away coach',
    description: 'There and back with the supporters’ club.',
    itemType: 'experience',
    pointsRequired: 400,
    stock: 54,
    sponsorId: 'tideline-ferries',
  },
  {
    id: 'training-top',
    title: 'Training top',
    description: 'What the squad wears from Monday to Friday.',
    itemType: 'merchandise',
    pointsRequired: 600,
    stock: 80,
  },
  {
    id: 'derby-ticket',
    title: 'Derby ticket',
    description: 'One seat in the family stand for the derby.',
    itemType: 'ticket',
    pointsRequired: 800,
    stock: 25,
  },
  {
    id: 'stadium-tour',
    title: 'Stadium tour',
    description: 'Dressing rooms, tunnel, and a minute alone in the centre circle.',
    itemType: 'experience',
    pointsRequired: 900,
    stock: 30,
  },
  {
    id: 'home-shirt',
    title: 'Home shirt',
    description: 'This season’s shirt with your name on it.',
    itemType: 'merchandise',
    pointsRequired: 1200,
    stock: 40,
  },
  {
    id: 'pitch-side-photo',
    title: 'Pitch-side photo',
    description: 'With the captain, before the warm-up.',
    itemType: 'experience',
    pointsRequired: 1500,
    stock: 6,
  },
  {
    id: 'signed-ball',
    title: 'Signed ball',
    description: 'Signed by the whole squad. There is one.',
    itemType: 'merchandise',
    pointsRequired: 2000,
    stock: 1,
  },
  {
    id: 'mascot-for-a-day',
    title: 'Mascot for a day',
    description: 'Walk out with the team at the last home match of the season.',
    itemType: 'experience',
    pointsRequired: 2500,
    stock: 2,
  },
  {
    id: 'retired-founders-badge',
    title: 'Founders’ badge',
    description: 'Given in the first season only.',
    itemType: 'digital',
    pointsRequired: 100,
    active: false,
  },
  {
    id: 'winter-cup-early-bird',
    title: 'Winter cup early bird',
    description: 'Was open for the first week of sales.',
    itemType: 'ticket',
    pointsRequired: 200,
    endsIn: -100,
  },
  {
    id: 'centenary-coin',
    title: 'Centenary coin',
    description: 'Opens with the club’s hundredth birthday.',
    itemType: 'merchandise',
    pointsRequired: 500,
    stock: 100,
    startsIn: 45,
  },
]
