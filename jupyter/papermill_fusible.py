"""Parameters of papermill for notebooks of Fusible. With the wheel installed
papermill finds it by itself; else import it before a notebook is run:

    import papermill, papermill_fusible
    papermill.execute_notebook('in.ipynb', 'out.ipynb', parameters={'n': 8192})
"""
from papermill.engines import NBClientEngine
from papermill.translators import Translator, papermill_translators

# papermill looks for engines of other packages, and for no translators: the wheel
# names this module as the engine `fusible`, which is papermill's own.
execute_notebook = NBClientEngine.execute_notebook
nb_kernel_name = NBClientEngine.nb_kernel_name
nb_language = NBClientEngine.nb_language


class FusibleTranslator(Translator):
    @classmethod
    def translate_none(cls, val):
        return 'NaN'

    @classmethod
    def translate_bool(cls, val):
        return 'true' if val else 'false'

    @classmethod
    def translate_dict(cls, val):
        raise NotImplementedError('Fusible has no dictionaries')

    @classmethod
    def translate_list(cls, val):
        return '[' + ', '.join(cls.translate(x) for x in val) + ']'

    @classmethod
    def comment(cls, cmt_str):
        return f'# {cmt_str}'.strip()

    @classmethod
    def assign(cls, name, str_val):
        return f'{name} = {str_val};'


papermill_translators.register('fusible', FusibleTranslator)
