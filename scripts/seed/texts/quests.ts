/** Quests, in Portuguese and Arabic. */
export const quests: Record<string, [pt: string, ar: string]> = {
  'Something for nothing': ['Algo por nada', 'شيء بلا مقابل'],
  'Claim your first reward.': ['Resgata a tua primeira recompensa.', 'احصل على مكافأتك الأولى.'],
  'Reward hunter': ['Caçador de recompensas', 'صائد المكافآت'],
  'Claim six different rewards.': ['Resgata seis recompensas diferentes.', 'احصل على ست مكافآت مختلفة.'],
  Collector: ['Colecionador', 'جامع البطاقات'],
  'Open ten packs, and redeem a reward.': [
    'Abre dez saquetas e usa uma recompensa.',
    'افتح عشر حزم، واستخدم مكافأة واحدة.',
  ],
  'Shop twice this week': ['Duas compras esta semana', 'تسوّق مرتين هذا الأسبوع'],
  'Two purchases of €5 or more in the club shop, on any days of the week.': [
    'Duas compras de €5 ou mais na loja do clube, em quaisquer dias da semana.',
    'عمليتا شراء بقيمة 5 يورو أو أكثر من متجر النادي، في أي يوم من الأسبوع.',
  ],
  'Three matches this month': ['Três jogos este mês', 'ثلاث مباريات هذا الشهر'],
  'Check in at three matches of the month.': [
    'Faz check-in em três jogos do mês.',
    'سجّل حضورك في ثلاث مباريات خلال الشهر.',
  ],
  'A match a month': ['Um jogo por mês', 'مباراة كل شهر'],
  'Check in every month. One month may be missed.': [
    'Faz check-in todos os meses. Podes falhar um mês.',
    'سجّل حضورك كل شهر. يمكنك أن تفوّت شهرًا واحدًا.',
  ],
  'A day out': ['Um dia em cheio', 'يوم في النادي'],
  'A match and something from the shop on the same day.': [
    'Um jogo e algo da loja no mesmo dia.',
    'مباراة وشيء من المتجر في اليوم نفسه.',
  ],
  'Five matches': ['Cinco jogos', 'خمس مباريات'],
  'Five matches at the ground.': ['Cinco jogos no estádio.', 'خمس مباريات في الملعب.'],
  'Fifteen matches': ['Quinze jogos', 'خمس عشرة مباراة'],
  'Fifteen matches at the ground.': ['Quinze jogos no estádio.', 'خمس عشرة مباراة في الملعب.'],
  'Thirty matches': ['Trinta jogos', 'ثلاثون مباراة'],
  'Thirty matches at the ground.': ['Trinta jogos no estádio.', 'ثلاثون مباراة في الملعب.'],
  'A match a week': ['Um jogo por semana', 'مباراة كل أسبوع'],
  'At the ground every week. Two weeks may be missed.': [
    'No estádio todas as semanas. Podes falhar duas semanas.',
    'في الملعب كل أسبوع. يمكنك أن تفوّت أسبوعين.',
  ],
  'Ever-present': ['Sempre presente', 'حاضر دائمًا'],
  'A match a week, ten weeks in a row.': [
    'Um jogo por semana, dez semanas seguidas.',
    'مباراة كل أسبوع، عشرة أسابيع متتالية.',
  ],
  'You saw it coming': ['Tu já sabias', 'كنت تعلم ذلك'],
  'Predict two exact scores in a month.': [
    'Acerta em dois resultados exatos num mês.',
    'توقّع نتيجتين صحيحتين تمامًا في شهر واحد.',
  ],
  'The run-in': ['A reta final', 'الأمتار الأخيرة'],
  'All four home matches of the last month.': [
    'Os quatro jogos em casa do último mês.',
    'المباريات الأربع على أرضنا في الشهر الأخير.',
  ],
}
