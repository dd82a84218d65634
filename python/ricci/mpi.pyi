from typing import Any, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ricci import Program

class Choice(NamedTuple):
    letters: list[str]
    grid: list[int]
    seconds: float
    bytes: float
    memory: float
    why: str

class Shared:
    outputs: list[str]
    bytes_sent: int
    def __call__(self) -> None: ...
    def __getitem__(self, name: str) -> Any: ...
    def explain(self) -> str: ...

def prepare(comm: Any, program: Union[str, Program], operands: Optional[Mapping[str, Any]] = ..., /,
            *, shard: Union[str, Sequence[str]], reproducible: bool = ..., blocks: int = ...,
            **keywords: Any) -> Shared: ...
def parts(places: int, ranks: int, blocks: int = ...) -> list[int]: ...
def choose(ranks: int, program: Union[str, Program], operands: Optional[Mapping[str, Any]] = ..., /,
           *, network: Tuple[float, float] = ..., speed: float = ..., memory: float = ...,
           one_copy: bool = ..., shard: Union[str, Sequence[str]] = ..., **keywords: Any) -> Choice: ...
