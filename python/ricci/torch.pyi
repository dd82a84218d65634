from typing import Any, Mapping, Optional, Union

from ricci import Program

class function:
    program: Program
    def __init__(self, program: Union[str, Program]) -> None: ...
    def __call__(self, operands: Optional[Mapping[str, Any]] = ..., /, **keywords: Any) -> Any: ...
