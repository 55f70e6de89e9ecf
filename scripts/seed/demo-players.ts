/** The demonstration players: eleven of each team. */
import { teams } from './demo-catalogue.ts'
import { pictureUrl } from './pictures/address.ts'

/** By team, in the order of the numbers on the shirts. */
const names: Record<(typeof teams)[number][0], string> = {
  'ashbourne-rovers':
    'Tom Hadley, Callum Reeve, Jude Ashworth, Olly Marsh, Ben Thackray, Kofi Mensah, Rory Pike, Sam Orwell, Theo Banks, Nathan Cole, Max Winter',
  'bellavista-cf':
    'Iker Salas, Pau Ferrer, Mateo Rivas, Hugo Larra, Nico Pardo, Álvaro Cid, Dani Robles, Marc Vidal, Leo Quiroga, Saúl Bravo, Rafa Montes',
  'castellane-sporting':
    'Luc Marchand, Yanis Roux, Théo Blanc, Noé Garnier, Ilyes Benali, Enzo Faure, Hugo Perrin, Sacha Colin, Amadou Diop, Rémi Vasseur, Jules Tessier',
  'drakenfels-sv':
    'Jonas Kehl, Felix Brandt, Timo Reuter, Lars Vogt, Emre Aydin, Nils Harms, Paul Richter, Kai Sommer, Moritz Lang, Ben Schuster, Finn Adler',
  'harbour-city':
    'Conor Daly, Sean Brady, Liam Keane, Eoin Tracey, Darragh Quinn, Femi Adeyemi, Cian Moran, Jack Nolan, Ruairi Walsh, Owen Carroll, Tadhg Burke',
  'kitakaze-united':
    'Ren Aoki, Haruto Mori, Sora Kimura, Yuto Hara, Daiki Ono, Kaito Sato, Riku Abe, Takumi Endo, Shota Ueda, Kenji Noda, Yuma Ito',
  'porto-sereno':
    'Luca Bassi, Marco Testa, Paolo Ricci, Dario Neri, Elia Conti, Nicolò Serra, Andrea Longo, Simone Galli, Matteo Fiore, Davide Costa, Pietro Sala',
  'vila-do-sol':
    'Caio Prado, Davi Rocha, João Teles, Iago Nunes, Luan Braga, Vítor Leal, Breno Dias, Rafael Pinto, Igor Matos, Enzo Farias, Tiago Luz',
}

const ROLES = [
  { en: 'Goalkeeper', pt: 'Guarda-redes', 'pt-BR': 'Goleiro', ar: 'حارس مرمى' },
  { en: 'Defender', pt: 'Defesa', 'pt-BR': 'Defensor', ar: 'مدافع' },
  { en: 'Midfielder', pt: 'Médio', 'pt-BR': 'Meio-campista', ar: 'لاعب وسط' },
  { en: 'Forward', pt: 'Avançado', 'pt-BR': 'Atacante', ar: 'مهاجم' },
] as const

/** One goalkeeper, four defenders, three midfielders and three forwards. */
const [KEEPER, DEFENDER, MIDFIELDER, FORWARD] = ROLES
const roleOf = (number: number) =>
  number === 1 ? KEEPER : number < 6 ? DEFENDER : number < 9 ? MIDFIELDER : FORWARD

export const players = teams.flatMap(([teamId, , shortName, , , primary, secondary]) =>
  names[teamId].split(', ').map((name, nth) => {
    const number = nth + 1
    const id = `${shortName.toLowerCase()}-${number}`
    const imageUrl = pictureUrl('players', id)
    return { entry: { id, teamId, name, number, position: roleOf(number), imageUrl }, primary, secondary }
  }),
)
