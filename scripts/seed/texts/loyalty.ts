/** Accounts, memberships, campaigns, segments and divisions. */
export const loyalty: Record<string, [pt: string, ar: string]> = {
  'Loyalty points': ['Pontos de fidelidade', 'نقاط الولاء'],
  'Away trips': ['Deslocações', 'رحلات خارج الأرض'],
  points: ['pontos', 'نقاط'],
  trips: ['deslocações', 'رحلات'],
  'Monthly division': ['Divisão mensal', 'الدرجة الشهرية'],
  Bronze: ['Bronze', 'برونزي'],
  Silver: ['Prata', 'فضي'],
  Gold: ['Ouro', 'ذهبي'],
  Traveller: ['Viajante', 'مسافر'],
  'Road captain': ['Capitão de estrada', 'قائد الرحلات'],
  'Tickets a day before the general sale': [
    'Bilhetes um dia antes da venda geral',
    'تذاكر قبل يوم من البيع العام',
  ],
  'Tickets two days before the general sale': [
    'Bilhetes dois dias antes da venda geral',
    'تذاكر قبل يومين من البيع العام',
  ],
  'First choice of away tickets': [
    'Primeira escolha dos bilhetes fora',
    'الاختيار الأول لتذاكر المباريات خارج الأرض',
  ],
  'A seat on the first coach': ['Um lugar no primeiro autocarro', 'مقعد في الحافلة الأولى'],
  'Season ticket': ['Lugar anual', 'تذكرة الموسم'],
  'Every league match at home, in the same seat.': [
    'Todos os jogos da liga em casa, no mesmo lugar.',
    'كل مباريات الدوري على أرضنا، في المقعد نفسه.',
  ],
  'Your seat at every home match': ['O seu lugar em cada jogo em casa', 'مقعدك في كل مباراة على أرضنا'],
  'Priority for away games': ['Prioridade nos jogos fora', 'الأولوية في المباريات خارج الأرض'],
  Member: ['Sócio', 'عضو'],
  'Part of the club, wherever you live.': ['Parte do clube, onde quer que viva.', 'جزء من النادي أينما كنت.'],
  'Ten per cent off in the shop': ['Dez por cento de desconto na loja', 'خصم عشرة بالمئة في المتجر'],
  'Loyalty points of earlier seasons': [
    'Pontos de fidelidade de épocas anteriores',
    'نقاط الولاء من المواسم السابقة',
  ],
  'Away trips of earlier seasons': [
    'Deslocações de épocas anteriores',
    'رحلات خارج الأرض من المواسم السابقة',
  ],
  'Loyalty points for a check-in at the ground': [
    'Pontos de fidelidade por um check-in no estádio',
    'نقاط الولاء لتسجيل الحضور في الملعب',
  ],
  'An away trip for an away ticket scanned': [
    'Uma deslocação por um bilhete fora lido à entrada',
    'رحلة لتذكرة مباراة خارج الأرض',
  ],
  'Derby day, on the screens of the ground': [
    'Dia de dérbi, nos ecrãs do estádio',
    'يوم الديربي على شاشات الملعب',
  ],
  'Scratch cards of the coffee sponsor': [
    'Raspadinhas do patrocinador de café',
    'بطاقات الخدش من راعي القهوة',
  ],
  'Holders of a season ticket': ['Titulares de lugar anual', 'حاملو تذكرة الموسم'],
  'Often at the ground, no season ticket': [
    'Vêm muitas vezes, sem lugar anual',
    'يحضرون كثيراً بلا تذكرة موسم',
  ],
  'Gold fans who want news': ['Adeptos ouro que querem novidades', 'مشجعون ذهبيون يريدون الأخبار'],
}
