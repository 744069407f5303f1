export type Language = 'en' | 'zh'

/** Somebody who does not exist: name, what they say of themselves, where they live, 1 for a man and 2 for a woman. */
export type Described = { name: string; bio: string; location: string; sex: 0 | 1 | 2; speaks: Language }

const person = (
  speaks: Language,
  name: string,
  sex: 0 | 1 | 2,
  location: string,
  bio: string,
): Described => ({
  name,
  bio,
  location,
  sex,
  speaks,
})

/** Everybody of the small demo. The names are made up. */
export const PEOPLE: readonly Described[] = [
  person('zh', '林小满', 2, '浙江 杭州', '拍照的人，也种一点菜。'),
  person('en', 'Maya_Ostrow', 2, 'Lisbon', 'Cartographer by day, baker by night.'),
  person('zh', '周远山', 1, '四川 成都', '徒步第十一年，鞋换了九双。'),
  person('en', 'Tobias_Fenn', 1, 'Edinburgh', 'Repairs radios. Collects rain.'),
  person('zh', '许知夏', 2, '上海', '夜里写歌，白天写代码。'),
  person('en', 'Ines_Calder', 2, 'Porto', 'Street photographer with a slow lens.'),
  person('zh', '陈木木', 1, '福建 厦门', '咖啡师，会做三种拉花。'),
  person('en', 'Ravi_Sandoval', 1, 'Toronto', 'Teaching physics to people who said they hate it.'),
  person('zh', '苏晚晴', 2, '江苏 南京', '图书馆里上班，最喜欢下雨天。'),
  person('en', 'Nora_Lindqvi', 2, 'Gothenburg', 'Sailing when the wind agrees.'),
  person('zh', '何以舟', 1, '广东 深圳', '做硬件的，板子冒烟也不慌。'),
  person('en', 'Jonah_Brooks', 1, 'Austin', 'Drummer, father of two, tired.'),
  person('zh', '沈一禾', 2, '云南 大理', '开一间只有四张桌子的小馆子。'),
  person('en', 'Ada_Thornby', 2, 'Leeds', 'Gardens on a balcony of two square metres.'),
  person('zh', '顾北辰', 1, '北京', '天文爱好者，等云散的时间比看星星的多。'),
  person('en', 'Leo_Marchetti', 1, 'Bologna', 'I cook what my grandmother cooked, worse.'),
  person('zh', '叶青禾', 2, '湖南 长沙', '小学美术老师，衣服上总有颜料。'),
  person('en', 'Wren_Halloway', 0, 'Melbourne', 'Birds, mostly before breakfast.'),
  person('zh', '江慢慢', 2, '山东 青岛', '住在海边，但不会游泳。'),
  person('en', 'Silas_Kerr', 1, 'Dublin', 'Writes short stories about long trains.'),
  person('zh', '陆明川', 1, '陕西 西安', '骑车上下班，风大的时候后悔。'),
  person('en', 'Priya_Castell', 2, 'Singapore', 'Designs signs so that nobody gets lost.'),
  person('zh', '白小鹿', 2, '黑龙江 哈尔滨', '雪地长大的人，手套丢了无数只。'),
  person('en', 'Otto_Weiland', 1, 'Vienna', 'Plays the viola, apologises in advance.'),
  person('zh', '唐知远', 1, '重庆', '爬坡上坎，就当健身。'),
  person('en', 'Freya_Dunmore', 2, 'Bergen', 'Wool, fjords, and a very old dog.'),
  person('zh', '方糖糖', 2, '广西 桂林', '甜品师，正在研究少放糖。'),
  person('en', 'Caleb_Ashworth', 1, 'Denver', 'Ran one marathon and will mention it.'),
  person('zh', '宋时雨', 1, '湖北 武汉', '在长江边修桥。'),
  person('en', 'Lucia_Verde', 2, 'Valencia', 'Botanist. Yes, I know what that weed is.'),
]
