/** Where the development server serves the pictures of the demonstration catalogue. */
export const pictureUrl = (
  kind: 'crests' | 'rewards' | 'cards' | 'quests' | 'packs' | 'products' | 'sponsors' | 'players',
  id: string,
) => `/demo/pictures/${kind}-${id}.svg`
