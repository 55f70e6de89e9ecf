/** The demonstration sets. They give points and no rewards. */
export const sets = [
  {
    id: 'great-nights',
    name: 'Great nights',
    collectibleIds: [
      'derby-tackle',
      'double-save',
      'overhead-kick',
      'minute-ninety-four',
      'cup-final-whistle',
    ],
    reward: { points: 1_000 },
  },
  {
    id: 'saturday-rituals',
    name: 'Saturday rituals',
    collectibleIds: ['half-time-tea-moment', 'away-end', 'muddy-boots'],
    reward: { points: 50 },
  },
]
